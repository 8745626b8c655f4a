package sprites_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// byCommand returns a provider of a captain who has no token, but the command sprite, which is logged in.
func byCommand(t *testing.T, f *spritestest.Fake, org string, own map[string]string) *sprites.Provider {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := sprites.Credentials{Command: f.Command(t.TempDir(), "sprite-for-test"), Organization: org}
	p := sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return c, nil },
		Program:     programs(exe), Own: own,
	})
	t.Cleanup(p.Close)
	return p
}

// A ship works from its creation to its destruction by the command alone, which never shows its token.
func TestByCommand(t *testing.T) {
	f := fake(t, spritestest.Options{})
	t.Setenv("TMPDIR", t.TempDir())
	p := byCommand(t, f, "acme", map[string]string{"ocaptain": "i1"})
	ctx := soon(t)
	if org, err := p.Account(ctx); err != nil || org != "acme" {
		t.Fatalf("account %q, %v", org, err)
	}
	want := spec(t, "ship-0")
	want.Labels = map[string]string{"ocaptain": "i1"}
	m, err := p.Create(ctx, want)
	if err != nil || m.State != provider.Running {
		t.Fatalf("%+v, %v", m, err)
	}
	if again, err := p.Create(ctx, want); err != nil || again.ID != m.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	if all, err := p.List(ctx, want.Labels); err != nil || len(all) != 1 || all[0].ID != m.ID {
		t.Errorf("list: %+v, %v", all, err)
	}
	conn, err := p.Dial(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	greeting := make([]byte, 8)
	eventually.Cut(t, conn)
	if _, err := io.ReadFull(conn, greeting); err != nil || string(greeting) != "SSH-2.0-" {
		t.Errorf("%q, %v", greeting, err)
	}
	var seen []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		raw, _ := os.ReadFile(name)
		seen = append(seen, string(raw))
	}
	conn.Close()
	f.Chill("ship-0")
	if m, err := p.Ensure(ctx, "ship-0"); err != nil || m.State != provider.Running {
		t.Errorf("after it was cold: %+v, %v", m, err)
	}
	if err := p.Destroy(ctx, "ship-0"); err != nil {
		t.Error(err)
	}
	if _, err := p.Get(ctx, "ship-0"); !errors.Is(err, provider.ErrNotFound) || len(f.Names()) > 0 {
		t.Errorf("after it was destroyed: %v, %s", err, f.Names())
	}
	token := f.Token()
	for _, text := range append(seen, f.Requests()...) {
		if strings.Contains(text, token[strings.LastIndex(token, "/")+1:]) {
			t.Errorf("the token is in %.300q", text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "ocaptain-sprite-*")); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}

// Errors repeat what the service and the command say about a failure, and only failures that may pass are retried.
func TestCommandFails(t *testing.T) {
	f := fake(t, spritestest.Options{})
	p := byCommand(t, f, "acme", nil)
	if _, err := p.Get(soon(t), "ship-9"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a sprite that is not there: %v", err)
	}
	if err := p.Destroy(soon(t), "ship-9"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a sprite that is not there: %v", err)
	}
	missing := provider.Machine{Name: "ship-9"}
	if _, err := p.Dial(soon(t), missing); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a tunnel to a sprite that is not there: %v", err)
	}
	f.Revoke()
	if _, err := p.Account(soon(t)); !errors.Is(err, sprites.ErrToken) {
		t.Errorf("a login that was revoked: %v", err)
	}
	if _, err := p.Dial(soon(t), missing); !errors.Is(err, sprites.ErrToken) {
		t.Errorf("a tunnel with a login that was revoked: %v", err)
	}
	ctx := eventually.Brief(t, 20*time.Second)
	if _, err := byCommand(t, f, "wile", nil).Account(ctx); err == nil || !strings.Contains(err.Error(), `sprite api: exit status 1: Error: organization "wile": not logged in`) {
		t.Errorf("another organization: %v", err)
	}
	for _, c := range []sprites.Credentials{{Command: "sprite", Organization: "acme"}, {Command: "/bin/sprite"}, {Command: "/bin/sprite", Organization: "-s"}} {
		if c.Check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
