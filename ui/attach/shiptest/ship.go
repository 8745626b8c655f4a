// Package shiptest runs the part of a ship that attaching needs, for tests: an OpenSSH server on loopback, and tmux
// with an agent's window, started as provisioning starts it.
package shiptest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/tasks/eventually"
)

// Ship is a running ship.
type Ship struct {
	Home string // home of the ship's user
	Wire *Wire  // the network between the test and the ship
	T    testing.TB

	key     ssh.Signer
	keyFile string
	hostKey string
}

// Start runs a ship whose agent is a shell script, until the test ends.
func Start(t testing.TB, agent string) *Ship {
	t.Helper()
	s := server(t)
	s.write(".ocaptain/tmux.conf", provision.TmuxConf, 0o644)
	s.write(provision.Binary, "#!/bin/sh\n"+agent+"\n", 0o755)
	t.Cleanup(s.end)
	s.Launch()
	return s
}

// Launch starts the agent in its window, unless it runs.
func (s *Ship) Launch() {
	s.T.Helper()
	l := s.Open()
	defer l.Close()
	if err := provision.Launch(Soon(s.T), l, s.Home, ""); err != nil {
		s.T.Fatal(err)
	}
}

// server runs the system's sshd with a configuration and a home of its own.
func server(t testing.TB) *Ship {
	t.Helper()
	if os.Getuid() == 0 {
		// sshd requires this directory when root runs it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home, err := os.MkdirTemp("", "ship") // a short path, as it holds tmux's socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	s := &Ship{Home: home, T: t, keyFile: filepath.Join(home, "client")}
	host := newKey(t, filepath.Join(home, "host"))
	s.key, s.hostKey = newKey(t, s.keyFile), string(ssh.MarshalAuthorizedKey(host.PublicKey()))
	s.write("authorized", string(ssh.MarshalAuthorizedKey(s.key.PublicKey())), 0o600)
	addr := freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	s.write("config", strings.Join([]string{
		"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + home + "/host", "AuthorizedKeysFile " + home + "/authorized",
		"StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin prohibit-password", "MaxStartups 100", "PrintMotd no", "PrintLastLog no",
		"SetEnv HOME=" + home + " TMUX_TMPDIR=" + home + " LANG=C.UTF-8",
	}, "\n")+"\n", 0o600)
	var log bytes.Buffer
	cmd := exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", filepath.Join(home, "config"))
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start sshd (package openssh-server): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", log.String())
		}
	})
	eventually.Holds(t, "sshd answers", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	s.Wire = newWire(addr)
	return s
}

func (s *Ship) write(name, text string, mode os.FileMode) {
	s.T.Helper()
	path := filepath.Join(s.Home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.T.Fatal(err)
	}
}

func newKey(t testing.TB, file string) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Config returns how to reach the ship, through its Wire.
func (s *Ship) Config() link.Config {
	me, err := user.Current()
	if err != nil {
		s.T.Fatal(err)
	}
	return link.Config{
		Name: "ship-0", User: me.Username, Signers: []ssh.Signer{s.key}, HostKey: s.hostKey, Dial: s.Wire.Dial,
		RetryMin: 10 * time.Millisecond, RetryMax: 100 * time.Millisecond,
	}
}

// environ is the variable that tells Dial in another process how to reach the ship.
const environ = "OCAPTAIN_TEST_SHIP"

// Env returns the environment for a process of the same test that calls Dial.
func (s *Ship) Env() string {
	return strings.Join([]string{environ + "=" + s.Wire.to, s.keyFile, strings.TrimSpace(s.hostKey)}, "|")
}

// Dial opens a link to the ship of Env, for a process that was started with Env; the link is nil in other processes.
func Dial() (*link.Link, error) {
	env := os.Getenv(environ)
	if env == "" {
		return nil, nil
	}
	part := strings.Split(env, "|")
	raw, err := os.ReadFile(part[1])
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	return link.Open(link.Config{
		Name: "ship-0", User: me.Username, Signers: []ssh.Signer{key}, HostKey: part[2],
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", part[0]) },
	})
}

// Open opens a link to the ship that ends with the test.
func (s *Ship) Open() *link.Link {
	s.T.Helper()
	l, err := link.Open(s.Config())
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { l.Close() })
	return l
}

// SSH returns a command that runs ssh to the ship.
func (s *Ship) SSH(args ...string) *exec.Cmd {
	host, port, _ := net.SplitHostPort(s.Wire.to)
	return exec.Command("ssh", append([]string{
		"-F", "none", "-q", "-i", s.keyFile, "-p", port, "-l", s.Config().User,
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", host,
	}, args...)...)
}

func (s *Ship) try(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-L", provision.Tmux}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX_TMPDIR="+s.Home, "TMUX=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Tmux runs a command of the ship's tmux and returns what it prints.
func (s *Ship) Tmux(args ...string) string {
	s.T.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.T.Fatalf("tmux %s: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// Kill ends the ship's tmux, and the agent's terminal with it.
func (s *Ship) Kill() {
	s.T.Helper()
	s.Tmux("kill-server")
	eventually.Holds(s.T, "tmux is gone", s.Gone)
}

// Gone reports whether the ship has no tmux.
func (s *Ship) Gone() bool {
	out, err := s.try("list-sessions")
	return err != nil && (strings.Contains(out, "no server running") || strings.Contains(out, "error connecting"))
}

// end fails the test when a client is still attached, or when tmux cannot end.
func (s *Ship) end() {
	if s.Gone() {
		return
	}
	eventually.Holds(s.T, "nobody is attached any more", func() bool {
		out, err := s.try("list-clients", "-F", "#{client_name}")
		return err != nil || out == ""
	})
	_, _ = s.try("kill-server")
	eventually.Holds(s.T, "tmux is gone", s.Gone)
}

// Screen returns the text of the agent's window.
func (s *Ship) Screen() string { return s.Tmux("capture-pane", "-p", "-t", "=ship:") }

// Size returns the size of the agent's window.
func (s *Ship) Size() string {
	return s.Tmux("display-message", "-p", "-t", "=ship:", "#{window_width}x#{window_height}")
}

// Soon returns a context with a short deadline.
func Soon(t testing.TB) context.Context {
	return eventually.Context(t)
}
