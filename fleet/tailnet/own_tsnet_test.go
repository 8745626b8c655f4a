//go:build tsnet

package tailnet_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestOwn reaches a ship from a machine without tailscaled, through a node within this process.
func TestOwn(t *testing.T) {
	tailnettest.Setenv(t)
	lab := tailnettest.Start(t, "tskey-auth-lab")
	ship, port := lab.Join(t, "ship-0"), echo(t)
	var said []string
	own := &tailnet.Own{
		Dir: t.TempDir(), LoginServer: lab.URL,
		Pass: func(context.Context) (tailnet.Pass, error) {
			return tailnet.Pass{Host: "ocaptain-hub-1", Tag: tailnettest.Tag, Secret: lab.Key}, nil
		},
		Joined: func(host, id string) error { said = append(said, host, id); return nil },
		Left:   func(host string) { said = append(said, host) },
	}
	n := &tailnet.Net{Socket: filepath.Join(t.TempDir(), "none"), Own: own}
	began := time.Now()
	for range 2 {
		conn, err := n.Dial(t.Context(), ship.IP.String(), port)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("reached after %s", time.Since(began).Round(time.Millisecond))
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		got := make([]byte, 5)
		if _, err := io.WriteString(conn, "hello"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello" {
			t.Fatalf("%q, %v", got, err)
		}
		conn.Close()
	}
	halfClosed(t, n, ship.IP.String())
	if err := own.Close(); err != nil {
		t.Error(err)
	}
	if len(said) != 3 || said[0] != "ocaptain-hub-1" || said[1] == "" || said[2] != said[0] {
		t.Errorf("told: %q", said)
	}
	if left, err := os.ReadDir(own.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// halfClosed says all there is to say to a server that answers only then.
func halfClosed(t *testing.T, n *tailnet.Net, host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			all, _ := io.ReadAll(c)
			_, _ = io.WriteString(c, strings.ToUpper(string(all)))
			c.Close()
		}
	}()
	conn, err := n.Dial(t.Context(), host, l.Addr().(*net.TCPAddr).Port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, "last words"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(conn); err != nil || string(all) != "LAST WORDS" {
		t.Errorf("%q, %v", all, err)
	}
}
