package sprites

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// Binary messages of a command begin with what they are.
const (
	frameStdout = 1
	frameStderr = 2
	frameExit   = 3
)

// The most that is kept of what a command prints, and how long its last words are waited for
// after the service has told in text that it ended.
const (
	stdoutMax = 64 << 10
	stderrMax = 4 << 10
	lastWords = 2 * time.Second
)

// replayMax is how much the service replays of a command that ended before anybody listened.
// When it replays as much as that, there was more.
const replayMax = 65536

// exitError is a command that ran and failed.
type exitError struct {
	code   int
	stderr string
}

func (e *exitError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("exit %d: %s", e.code, e.stderr))
}

// runCommand runs a short command on a sprite and returns what it printed. The command is a part of
// the address, so it holds nothing secret; and it may run twice.
func (p *Provider) runCommand(ctx context.Context, name string, argv ...string) (string, error) {
	for n := 1; ; n++ {
		out, err := p.execOnce(ctx, name, argv)
		var later *provider.Temporary
		if err == nil || !errors.As(err, &later) || n >= attempts && !isBusy(err) {
			return out, spriteError(name, err)
		}
		if e := patience.Pause(ctx, n, later.After); e != nil {
			return "", spriteError(name, errors.Join(e, err))
		}
	}
}

func (p *Provider) execOnce(ctx context.Context, name string, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if c, err := p.options.Credentials(); err == nil && c.Command != "" {
		return p.execByCommand(ctx, c, name, argv)
	}
	ws, err := p.socket(ctx, spritePath(name, "exec"), url.Values{"cmd": argv, "path": argv[:1], "stdin": {"false"}})
	if err != nil {
		return "", err
	}
	defer func() { _ = ws.CloseNow() }()
	r := &running{}
	for {
		kind, message, err := r.read(ctx, ws)
		if err != nil {
			return r.brokenOff(ctx, err)
		}
		done, err := r.takeMessage(kind, message)
		if err != nil {
			return "", err
		}
		if done {
			return r.commandEnded(r.code)
		}
	}
}

// running is a command under way.
type running struct {
	stdout, stderr bytes.Buffer
	code           int  // from the binary message, which decides
	told           *int // from the text message, which may come before the last output
	replayed       int  // length of what was printed before anybody listened
}

// read waits for the next message; not long when only last words are to come.
func (r *running) read(ctx context.Context, ws *websocket.Conn) (websocket.MessageType, []byte, error) {
	if r.told != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lastWords)
		defer cancel()
	}
	return ws.Read(ctx)
}

// takeMessage takes a message in and tells whether it was the last one.
func (r *running) takeMessage(kind websocket.MessageType, message []byte) (done bool, err error) {
	if kind == websocket.MessageText {
		r.takeText(message)
		return false, nil
	}
	if len(message) == 0 {
		return false, nil
	}
	switch stream, rest := message[0], message[1:]; stream {
	case frameStdout:
		if r.stdout.Len()+len(rest) > stdoutMax {
			return false, fmt.Errorf("a command there prints more than %d bytes", stdoutMax)
		}
		r.stdout.Write(rest)
	case frameStderr:
		r.stderr.Write(rest[:min(len(rest), stderrMax-min(stderrMax, r.stderr.Len()))])
	case frameExit:
		if len(rest) == 0 {
			return false, &provider.Temporary{Err: errors.New("sprites.dev does not tell how a command ended")}
		}
		r.code = int(rest[0])
		return true, nil
	}
	return false, nil
}

// takeText reads a text message. What is unknown is ignored.
func (r *running) takeText(message []byte) {
	var said struct {
		Type string `json:"type"`
		Msg  string `json:"msg"`
		Code *int   `json:"exit_code"`
	}
	if json.Unmarshal(message, &said) != nil {
		return
	}
	switch said.Type {
	case "exit":
		r.told = said.Code
	case "debug":
		if _, rest, ok := strings.Cut(said.Msg, "history_len="); ok && strings.Contains(said.Msg, "fast_path") {
			_, _ = fmt.Sscanf(rest, "%d", &r.replayed)
		}
	}
}

// brokenOff handles a connection that ends before the command does. If the text message came and reports a failure,
// it counts; otherwise what became of the command, and whether its output is complete, is unknown.
func (r *running) brokenOff(ctx context.Context, err error) (string, error) {
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("sprites.dev: %w", ctx.Err())
	case r.told != nil && *r.told != 0:
		return r.commandEnded(*r.told)
	case r.told != nil:
		return "", &provider.Temporary{Err: errors.New("sprites.dev has kept back the last output of a command")}
	}
	return "", broken(err)
}

func (r *running) commandEnded(code int) (string, error) {
	if r.replayed >= replayMax {
		return "", errors.New("sprites.dev has cut off what a command there printed")
	}
	if code != 0 {
		return "", &exitError{code, webapi.ShortLine(r.stderr.String(), 500)}
	}
	return r.stdout.String(), nil
}
