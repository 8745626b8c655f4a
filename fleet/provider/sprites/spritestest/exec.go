package spritestest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/coder/websocket"
	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
)

// closer closes a WebSocket without a handshake.
type closer struct{ *websocket.Conn }

func (c closer) Close() error { return c.CloseNow() }

// exec runs a command without a terminal, over a WebSocket. The text message that reports its end is sent before its
// last output, as the service was seen to do.
func (f *Fake) exec(s *sprite, w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("tty") == "true" || q.Has("id") {
		fail(w, http.StatusNotImplemented, "not_implemented", "this fake has no terminals")
		return
	}
	box, release, err := s.use()
	if err != nil {
		fail(w, http.StatusNotFound, "sprite not found", "")
		return
	}
	defer release()
	w.Header().Set("X-Sprite-Capabilities", "signal")
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	defer s.keep(closer{ws})()
	ws.SetReadLimit(1 << 20)
	c := &command{ws: ws, misdeed: misdeed(r)}
	if f.options.RootServices {
		c.as = "setpriv --reuid=1000 --regid=1000 --clear-groups "
	}
	// The command must go on when the client leaves, so it does not use the request's context.
	if err := c.run(context.Background(), box, q); err != nil && !errors.Is(err, io.EOF) {
		_ = c.text(map[string]any{"type": "debug", "msg": err.Error()})
	}
}

// command is a running command.
type command struct {
	ws      *websocket.Conn
	misdeed Misdeed
	as      string // words before the command that make it run as another user
}

func (c *command) text(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.ws.Write(context.Background(), websocket.MessageText, raw)
}

func (c *command) binary(stream byte, p []byte) error {
	return c.ws.Write(context.Background(), websocket.MessageBinary, append([]byte{stream}, p...))
}

func (c *command) run(ctx context.Context, box *sandbox, q map[string][]string) error {
	session, closeAll, err := box.session()
	if err != nil {
		return err
	}
	defer closeAll()
	stdout, err := session.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := session.StderrPipe()
	if err != nil {
		return err
	}
	var stdin io.WriteCloser
	if first(q["stdin"]) == "true" {
		if stdin, err = session.StdinPipe(); err != nil {
			return err
		}
	}
	if err := session.Start(line(q, c.as)); err != nil {
		return err
	}
	if c.misdeed == FastPath {
		return c.replay(session, stdout)
	}
	_ = c.text(map[string]any{"type": "debug", "msg": "session_created cmd=" + first(q["cmd"]), "pid": 333, "t_ms": 22})
	_ = c.text(map[string]any{"type": "session_info", "session_id": "333", "command": first(q["cmd"]), "cols": 0, "rows": 0, "is_owner": true, "tty": false})
	go c.listen(ctx, stdin, session)
	errs := make(chan struct{})
	go func() {
		defer close(errs)
		c.copy(2, stderr)
	}()
	last := c.copy(1, stdout)
	<-errs
	code := exitCode(session.Wait())
	if c.misdeed == NoExit {
		return c.ws.CloseNow()
	}
	_ = c.text(map[string]any{"type": "exit", "exit_code": code})
	if c.misdeed == EarlyExit {
		<-c.ws.CloseRead(ctx).Done() // nothing more is sent, and the connection stays open
		return nil
	}
	if len(last) > 0 {
		_ = c.binary(1, last)
	}
	end := []byte{byte(code)}
	if c.misdeed == BareExit {
		end = nil
	}
	_ = c.binary(3, end)
	return c.ws.Close(websocket.StatusNormalClosure, "")
}

// copy sends a stream except for its last part, which it returns.
func (c *command) copy(stream byte, from io.Reader) (last []byte) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			if len(last) > 0 {
				_ = c.binary(stream, last)
			}
			last = append([]byte(nil), b[:n]...)
		}
		if err != nil {
			if stream == 2 && len(last) > 0 {
				_ = c.binary(stream, last)
			}
			return last
		}
	}
}

// replay sends the output of a command that ended before the client listened: at most 64 KiB, and the exit code 0,
// whatever it was.
func (c *command) replay(session *ssh.Session, stdout io.Reader) error {
	all, _ := io.ReadAll(stdout)
	_ = session.Wait()
	all = all[:min(len(all), 65536)]
	_ = c.text(map[string]any{"type": "debug", "msg": fmt.Sprintf("fast_path pid=333 history_len=%d", len(all))})
	if len(all) > 0 {
		_ = c.binary(1, all)
	}
	_ = c.text(map[string]any{"type": "exit", "exit_code": 0})
	_ = c.binary(3, []byte{0})
	return c.ws.Close(websocket.StatusNormalClosure, "")
}

// listen handles the messages of the client.
func (c *command) listen(ctx context.Context, stdin io.WriteCloser, session *ssh.Session) {
	for {
		kind, message, err := c.ws.Read(ctx)
		if err != nil {
			return
		}
		switch {
		case kind == websocket.MessageText:
			var said struct{ Type, Signal string }
			if json.Unmarshal(message, &said) == nil && said.Type == "signal" {
				_ = session.Signal(ssh.Signal(said.Signal))
			}
		case stdin == nil || len(message) == 0:
		case message[0] == 0:
			_, _ = stdin.Write(message[1:])
		case message[0] == 4:
			_ = stdin.Close()
		}
	}
}

func exitCode(err error) int {
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Signal() != "":
		return 137
	case errors.As(err, &exit):
		return exit.ExitStatus()
	}
	return 255
}

// line returns the requested command as one line of shell. A requested environment replaces the default one, except
// for HOME.
func line(q map[string][]string, as string) string {
	argv := q["cmd"]
	if len(argv) == 0 {
		argv = []string{"bash"}
	}
	if p := first(q["path"]); p != "" {
		argv = append([]string{p}, argv[1:]...)
	}
	if env := q["env"]; len(env) > 0 {
		argv = append(append([]string{"/usr/bin/env", "-i", "HOME=/home/sprite"}, env...), argv...)
	}
	var words []string
	for _, a := range argv {
		words = append(words, link.Quote(a))
	}
	text := "exec " + as + strings.Join(words, " ")
	if dir := first(q["dir"]); dir != "" {
		text = "cd " + link.Quote(path.Clean(dir)) + " && " + text
	}
	return text
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
