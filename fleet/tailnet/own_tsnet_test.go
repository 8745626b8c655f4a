//go:build tsnet

package tailnet_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestOwn reaches a ship from a machine without tailscaled, through a node within this process.
func TestOwn(t *testing.T) {
	for _, kv := range tailnettest.Env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	lab := tailnettest.Start(t, "tskey-auth-lab")
	ship, port := lab.Join(t, "ship-0"), echo(t)
	own := &tailnet.Own{
		Dir: t.TempDir(), Hostname: "ocaptain-hub", Tag: tailnettest.Tag, LoginServer: lab.URL,
		Key: func(context.Context) (string, error) { return "", errors.New("no key today") },
	}
	n := &tailnet.Net{Socket: filepath.Join(t.TempDir(), "none"), Own: own}
	if _, err := n.Dial(t.Context(), ship.IP.String(), port); err == nil || !strings.Contains(err.Error(), "no key today") {
		t.Fatalf("without a key: %v", err)
	}
	own.Key = func(context.Context) (string, error) { return lab.Key, nil }
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
	if err := own.Close(); err != nil {
		t.Error(err)
	}
}
