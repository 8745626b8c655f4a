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

// The first byte of a binary message says what the message contains.
const (
	frameStdout = 1
	frameStderr = 2
	frameExit   = 3
)

// Limits of the kept output of a command, and of the wait for its last output after a text message has reported its
// end.
const (
	stdoutMax = 64 << 10
	stderrMax = 4 << 10
	lastWords = 2 * time.Second
)

// replayMax is how many bytes the service replays of a command that ended before the client listened. If it replays
// that many, there were more.
const replayMax = 65536

// exitError is the error of a command that ran and failed.
type exitError struct {
	code   int
	stderr string
}

func (e *exitError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("exit %d: %s", e.code, e.stderr))
}

// runCommand runs a short command on a sprite and returns its output. The command is a part of the URL, so it must
// contain no secret. It may be run twice.
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

// running is a running command.
type running struct {
	stdout, stderr bytes.Buffer
	code           int  // exit code from the binary message, which decides
	told           *int // exit code from the text message, which may arrive before the last output
	replayed       int  // bytes that were replayed
}

// read waits for the next message; once a text message has reported the end, it waits only briefly.
func (r *running) read(ctx context.Context, ws *websocket.Conn) (websocket.MessageType, []byte, error) {
	if r.told != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lastWords)
		defer cancel()
	}
	return ws.Read(ctx)
}

// takeMessage handles a message, and reports whether it was the last one.
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

// takeText handles a text message. It ignores unknown ones.
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

// brokenOff handles a connection that ended before the command. If a text message has reported a failure, that
// counts; otherwise the result of the command, or whether its output is complete, is unknown.
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
