package tailnettest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/tailnet"
	"ocaptain/tasks/eventually"
)

// Env makes a tailscaled stay on this machine: it sends no logs to Tailscale, asks no routers, needs no other network
// than loopback, and crashes rather than contact Tailscale's own control server.
var Env = map[string]string{"TS_NO_LOGS_NO_SUPPORT": "1", "TS_DISABLE_PORTMAPPER": "1", "TS_ASSUME_NETWORK_UP_FOR_TEST": "1", "TS_PANIC_IF_HIT_MAIN_CONTROL": "1"}

// Setenv sets Env for this process and its children until the test ends.
func Setenv(t testing.TB) {
	t.Helper()
	for name, value := range Env {
		t.Setenv(name, value)
	}
}

// Node is a tailscaled that runs until the test ends.
type Node struct {
	Daemon tailnet.Daemon
	IP     netip.Addr

	t    testing.TB
	dir  string
	env  []string
	cmd  *exec.Cmd
	said *bytes.Buffer
}

// Join starts a node of that name and returns once it is in the tailnet. It has the tag, except for the node named laptop,
// which is the captain's own.
func (n *Tailnet) Join(t testing.TB, name string, more ...string) *Node {
	t.Helper()
	node := n.Node(t)
	up := []string{"up", "--login-server=" + n.URL, "--hostname=" + name, "--accept-dns=false", "--timeout=60s", "--auth-key=" + n.Key}
	if name != laptop {
		up = append(up, "--advertise-tags="+Tag)
	}
	node.Tailscale(append(up, more...)...)
	s, err := node.Daemon.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	node.IP = s.Self.Address()
	return node
}

// Node starts a tailscaled that is in no tailnet.
func (n *Tailnet) Node(t testing.TB) *Node {
	t.Helper()
	exe := Binary(t)
	dir, err := os.MkdirTemp("/tmp", "ts-") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	env := os.Environ()
	for name, value := range Env {
		env = append(env, name+"="+value)
	}
	node := &Node{t: t, dir: dir, env: env, Daemon: tailnet.Daemon{Socket: filepath.Join(dir, "sock")}, said: new(bytes.Buffer)}
	node.cmd = exec.Command(exe, "--tun=userspace-networking", "--statedir="+dir, "--socket="+node.Daemon.Socket, "--port=0")
	node.cmd.Env = node.env
	node.cmd.Stdout, node.cmd.Stderr = io.Discard, node.said
	if err := node.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = node.cmd.Process.Kill()
		_ = node.cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	eventually.Succeeds(t, "the node answers", func() error {
		_, err := node.Daemon.Status(t.Context())
		return err
	})
	return node
}

// Tailscale runs the tailscale command for that node and returns its output.
func (n *Node) Tailscale(args ...string) string {
	n.t.Helper()
	ctx := eventually.Context(n.t)
	out, err := n.run(ctx, args...)
	if err != nil {
		_ = n.cmd.Process.Kill() // then its log is complete
		_ = n.cmd.Wait()
		n.t.Fatalf("tailscale %s: %v\n%s\n%s", args[0], errors.Join(err, ctx.Err()), out, last(n.said.String()))
	}
	return string(out)
}

func (n *Node) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(Binary(n.t)), "tailscale"), append([]string{"--socket=" + n.Daemon.Socket}, args...)...)
	cmd.Env = n.env
	return cmd.CombinedOutput()
}

// last returns the last lines of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
