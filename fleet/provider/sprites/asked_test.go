package sprites_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// A captain who gives up while a sprite is being made leaves nothing, also when another process
// cleans up.
func TestGivenUpBeforeItAppears(t *testing.T) {
	f := fake(t, spritestest.Options{})
	f.Plan(spritestest.Fault{Method: http.MethodPost, Path: "/v1/sprites", Times: 1, Misdeed: spritestest.Late})
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := client(t, f).Create(ctx, spec(t, "ship-0"))
		ended <- err
	}()
	until(t, "asked for", func() bool { return slices.Contains(f.Requests(), "POST /v1/sprites") })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if len(f.Names()) != 0 {
		t.Fatal("it is there already")
	}
	p := client(t, f)
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(f.Requests(), func(r string) bool { return strings.HasPrefix(r, "DELETE ") }) {
		t.Error("it never appeared")
	}
	if found, err := p.List(soon(t), nil); err != nil || len(found) > 0 {
		t.Errorf("left: %v, %v", found, err)
	}
	if left := subject(t, f).Leftovers(provider.Machine{Name: "ship-0", ID: "none"}); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Only one that may still come is waited for.
func TestNothingToWaitFor(t *testing.T) {
	f := fake(t, spritestest.Options{Running: 1})
	p := client(t, f)
	f.Add("another")
	if _, err := p.Create(soon(t), spec(t, "ship-0")); err == nil {
		t.Fatal("there is no room")
	}
	if _, err := os.Lstat(filepath.Join(f.Dir, "ship-0")); err == nil {
		t.Error("it is remembered that a sprite was asked for that was refused")
	}
	began := time.Now()
	if err := p.Destroy(soon(t), "ship-0"); err != nil || time.Since(began) > 4*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}
