package spritestest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// keyring is the file in which the fake's command keeps its login. Clients must not read it.
type keyring struct{ URL, Org, Token string }

// Command installs a program "sprite", according to its documentation, in a directory. It is logged in to the fake's
// organization. role is the argument with which the test binary calls Sprite.
func (f *Fake) Command(dir, role string) string {
	f.t.Helper()
	raw, err := json.Marshal(keyring{f.URL, f.options.Org, f.Token()})
	if err != nil {
		f.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	ring, file := filepath.Join(f.root, "keyring"), filepath.Join(dir, "sprite")
	if err := os.WriteFile(ring, raw, 0o600); err != nil {
		f.t.Fatal(err)
	}
	// Otherwise a program with the race detector ends a second later.
	script := fmt.Sprintf("#!/bin/sh\nGORACE=atexit_sleep_ms=0 exec '%s' %s '%s' \"$@\"\n", self, role, ring)
	if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
	return file
}

// Sprite is the command: api, exec and proxy -W. args begins with the path of its keyring. It returns the exit code.
func Sprite(args []string) int {
	code, err := carryOut(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	return code
}

func carryOut(args []string) (int, error) {
	if len(args) < 2 {
		return 0, errors.New("usage: sprite COMMAND")
	}
	raw, err := os.ReadFile(args[0])
	if err != nil {
		return 0, errors.New("not logged in, run: sprite login")
	}
	var ring keyring
	if err := json.Unmarshal(raw, &ring); err != nil {
		return 0, err
	}
	flags := flag.NewFlagSet("sprite", flag.ContinueOnError) // it stops at the first argument that is no flag
	org, name := flags.String("o", "", ""), flags.String("s", "", "")
	to := flags.String("W", "", "")
	flags.Bool("no-port-forward", false, "")
	if err := flags.Parse(args[2:]); err != nil {
		return 0, err
	}
	if *org == "" && *name == "" {
		_ = os.WriteFile(".sprite", []byte("{}"), 0o644)
	}
	if *org != ring.Org {
		return 0, fmt.Errorf("organization %q: not logged in", *org)
	}
	rest := flags.Args()
	switch args[1] {
	case "api":
		return curl(ring, rest)
	case "exec":
		return ring.exec(*name, rest)
	case "proxy":
		return 0, ring.proxy(*name, *to)
	}
	return 0, fmt.Errorf("unknown command %q", args[1])
}

// curl makes a request with the login, without showing it.
func curl(ring keyring, rest []string) (int, error) {
	if len(rest) < 2 || rest[1] != "--" {
		return 0, errors.New("usage: sprite api PATH -- [curl options]")
	}
	cmd := exec.Command("curl", append([]string{"-K", "-", ring.URL + "/v1" + rest[0]}, rest[2:]...)...)
	cmd.Stdin = strings.NewReader("header = \"Authorization: Bearer " + ring.Token + "\"\n")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	} else if err != nil {
		return 0, err
	}
	return 0, nil
}

func (k keyring) dial(name, what string, query url.Values) (*websocket.Conn, error) {
	ws, _, err := websocket.Dial(context.Background(), k.URL+"/v1/sprites/"+name+"/"+what+"?"+query.Encode(), &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + k.Token}},
	})
	if err == nil {
		ws.SetReadLimit(4 << 20)
	}
	return ws, err
}

// exec runs a command on a sprite and returns the command's exit code.
func (k keyring) exec(name string, argv []string) (int, error) {
	if len(argv) > 0 && argv[0] == "--" {
		argv = argv[1:]
	}
	ws, err := k.dial(name, "exec", url.Values{"cmd": argv, "path": argv[:1], "stdin": {"false"}})
	if err != nil {
		return 0, errors.New("failed to start")
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		kind, message, err := ws.Read(context.Background())
		if err != nil {
			return 0, errors.New("connection lost")
		}
		if kind != websocket.MessageBinary || len(message) == 0 {
			continue
		}
		switch message[0] {
		case 1:
			_, _ = os.Stdout.Write(message[1:])
		case 2:
			_, _ = os.Stderr.Write(message[1:])
		case 3:
			return int(message[1]), nil
		}
	}
}

// proxy connects standard input and output with a port on a sprite.
func (k keyring) proxy(name, to string) error {
	host, port, err := net.SplitHostPort(to)
	if err != nil {
		return err
	}
	ws, err := k.dial(name, "proxy", nil)
	if err != nil {
		return errors.New("failed to connect")
	}
	defer func() { _ = ws.CloseNow() }()
	n, _ := strconv.Atoi(port)
	raw, err := json.Marshal(map[string]any{"host": host, "port": n})
	if err == nil {
		err = ws.Write(context.Background(), websocket.MessageText, raw)
	}
	if err != nil {
		return err
	}
	if _, said, err := ws.Read(context.Background()); err != nil || !strings.Contains(string(said), `"connected"`) {
		return errors.New("failed to connect to the port")
	}
	far := websocket.NetConn(context.Background(), ws, websocket.MessageBinary)
	go func() {
		_, _ = io.Copy(far, os.Stdin)
		far.Close()
	}()
	_, err = io.Copy(os.Stdout, far)
	return err
}
