package tailnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
)

// echo starts an echo server on loopback and returns its port.
func echo(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// TestDaemon dials a node by its address and its name through the real tailscaled.
func TestDaemon(t *testing.T) {
	lab := tailnettest.Start(t, "tskey-auth-lab")
	ship, captain := lab.Join(t, "ship-0"), lab.Join(t, "laptop")
	port := echo(t)
	n := &tailnet.Net{Socket: captain.Daemon.Socket}
	if by, err := n.DescribeWay(t.Context()); err != nil || by != "tailscaled" {
		t.Fatalf("up by %q, %v", by, err)
	}
	s, err := ship.Daemon.Status(t.Context())
	if err != nil || s.State != tailnet.Running || s.TUN || s.Self.ID == "" || !slices.Contains(s.Self.Tags, tailnettest.Tag) {
		t.Fatalf("%+v, %v", s, err)
	}
	if !tailnet.IsAddress(ship.IP) {
		t.Errorf("the address %s is taken for none of a tailnet", ship.IP)
	}
	for _, host := range []string{ship.IP.String(), "ship-0", "ship-0." + tailnettest.Domain} {
		conn, err := n.Dial(t.Context(), host, port)
		if err != nil {
			t.Fatalf("%s: %v", host, err)
		}
		eventually.Cut(t, conn)
		got := make([]byte, 5)
		if _, err := io.WriteString(conn, "hello"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello" {
			t.Fatalf("%s: %q, %v", host, got, err)
		}
		conn.Close()
	}
	if _, err := n.Dial(t.Context(), "127.0.0.1", port); err == nil || !strings.Contains(err.Error(), "nothing of the tailnet's") {
		t.Errorf("this machine's loopback: %v", err)
	}
	if _, err := n.Dial(t.Context(), ship.IP.String(), 1); err == nil {
		t.Error("nobody listens at port 1")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Dial(ended, ship.IP.String(), port); !errors.Is(err, context.Canceled) {
		t.Errorf("of a call that was cancelled: %v", err)
	}
}

// TestNoDaemon checks the error when there is no way into a tailnet.
func TestNoDaemon(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "ts-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	n := &tailnet.Net{Socket: filepath.Join(dir, "none")}
	if _, err := n.Dial(t.Context(), "100.64.0.1", 22); !errors.Is(err, tailnet.ErrNone) {
		t.Errorf("without tailscaled: %v", err)
	}
	idle := tailnettest.Start(t, "").Node(t)
	n = &tailnet.Net{Socket: idle.Daemon.Socket}
	if _, err := n.DescribeWay(t.Context()); err == nil || !strings.Contains(err.Error(), "tailscale up") {
		t.Errorf("not logged in: %v", err)
	}
	mute, err := net.Listen("unix", filepath.Join(dir, "mute"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	n = &tailnet.Net{Socket: filepath.Join(dir, "mute")}
	ctx := eventually.Brief(t, 100*time.Millisecond)
	if _, err := n.DescribeWay(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that says nothing: %v", err)
	}
}
