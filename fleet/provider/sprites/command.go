package sprites

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
	"ocaptain/sync/bounded"
)

// Without a token, there may be the command "sprite" of sprites.dev, which is logged in and keeps its token to
// itself, usually in the system's keyring. Then all requests go through it: "sprite api", which is curl with the
// login, for the REST API, "sprite exec" for commands and "sprite proxy -W" for the tunnel. It runs in a directory of
// its own, since it may write a file ".sprite" to its working directory.

// command returns a command of sprite. It always names the organization, as otherwise the last used one would count.
func (c Credentials) command(ctx context.Context, dir, verb string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Command, append([]string{verb, "-o", c.Organization}, args...)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its descendants can be killed with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

// byCommand makes requests to the REST API with the command.
type byCommand struct{ credentials Credentials }

// RoundTrip implements http.RoundTripper. The body is in a file meanwhile, which only this user can read.
func (b byCommand) RoundTrip(r *http.Request) (*http.Response, error) {
	scratch, err := os.MkdirTemp("", "ocaptain-sprite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	args := []string{strings.TrimPrefix(r.URL.RequestURI(), "/v1"), "--", "-sS", "-i", "--http1.1", "-X", r.Method}
	if r.Body != nil {
		defer r.Body.Close()
		file := filepath.Join(scratch, "body")
		if err := writeFile(file, r.Body); err != nil {
			return nil, err
		}
		args = append(args, "-H", "Expect:", "-H", "Content-Type: "+r.Header.Get("Content-Type"), "--data-binary", "@"+file)
	}
	cmd := b.credentials.command(r.Context(), scratch, "api", args...)
	out, said := bounded.Refuse(answerMax), bounded.NewOutput(stderrMax)
	cmd.Stdout, cmd.Stderr = out, said
	err = cmd.Run()
	if answer, e := answerOf(out.Bytes()); e == nil {
		answer.Request = r
		return answer, nil
	}
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return nil, unlike("api", err, said.Bytes())
}

func writeFile(file string, content io.Reader) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// answerOf parses the output of curl -i: the headers of the answer, after those of other answers before it, and the
// body unchanged.
func answerOf(out []byte) (*http.Response, error) {
	for {
		r := bufio.NewReader(bytes.NewReader(out))
		text := textproto.NewReader(r)
		line, err := text.ReadLine()
		if err != nil {
			return nil, err
		}
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "HTTP/") || len(words) < 2 {
			return nil, errors.New("no answer")
		}
		code, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, err
		}
		head, err := text.ReadMIMEHeader()
		if err != nil {
			return nil, err
		}
		rest, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if code < 200 || strings.Contains(strings.ToLower(line), "connection established") && bytes.HasPrefix(rest, []byte("HTTP/")) {
			out = rest // the answer of a proxy, or 100 Continue
			continue
		}
		return &http.Response{StatusCode: code, Header: http.Header(head), Body: io.NopCloser(bytes.NewReader(rest))}, nil
	}
}

// unlike returns the error of the command itself.
func unlike(verb string, err error, said []byte) error {
	if err == nil {
		err = errors.New("an answer that makes no sense")
	}
	return fmt.Errorf("sprite %s: %w: %s", verb, err, webapi.ShortLine(string(said), 300))
}

// ran starts the last line that a command on a sprite prints, with its exit code. If the line is missing, the command
// or the connection failed.
const ran = "ocaptain-exit "

// execByCommand is execOnce without a token.
func (p *Provider) execByCommand(ctx context.Context, c Credentials, name string, argv []string) (string, error) {
	scratch, err := os.MkdirTemp("", "ocaptain-sprite-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	words := append([]string{"-s", name, "--no-port-forward", "--", "bash", "-c", `"$@"; echo "` + ran + `$?"`, "exec"}, argv...)
	cmd := c.command(ctx, scratch, "exec", words...)
	out, said := bounded.Refuse(stdoutMax), bounded.NewOutput(stderrMax)
	cmd.Stdout, cmd.Stderr = out, said
	err = cmd.Run()
	text := strings.TrimSuffix(string(out.Bytes()), "\n")
	at := strings.LastIndex(text, ran)
	code, bad := 0, errors.New("it does not tell")
	if at >= 0 {
		code, bad = strconv.Atoi(text[at+len(ran):])
	}
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("sprites.dev: %w", ctx.Err())
	case out.IsOver():
		return "", fmt.Errorf("a command there prints more than %d bytes", stdoutMax)
	case bad != nil:
		return "", p.unreached(ctx, name, unlike("exec", err, said.Bytes()))
	case code != 0:
		return "", &exitError{code, webapi.ShortLine(string(said.Bytes()), 500)}
	}
	return text[:at], nil
}

// unreached returns the error of a command that did not reach a sprite. The command does not say whether the sprite
// or the login is the reason, so it asks the REST API.
func (p *Provider) unreached(ctx context.Context, name string, err error) error {
	var s sprite
	var later *provider.Temporary
	why := p.do(ctx, call{method: http.MethodGet, path: spritePath(name), out: &s})
	if ctx.Err() != nil {
		return fmt.Errorf("sprites.dev: %w", ctx.Err())
	}
	if why != nil && !errors.As(why, &later) {
		return why
	}
	return broken(err)
}
