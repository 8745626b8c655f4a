package sprites_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// A machine that is destroyed while it is being made does not count as gone before it could appear.
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
	eventually.Holds(t, "asked for", func() bool { return slices.Contains(f.Requests(), "POST /v1/sprites") })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if len(f.Names()) != 0 {
		t.Fatal("it is there already")
	}
	p := client(t, f)
	if err := p.Destroy(soon(t), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Fatalf("what may still come is said to be gone: %v", err)
	}
	eventually.Holds(t, "made at last", func() bool { return len(f.Names()) == 1 })
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

// An answer that is no list, or an incomplete one, says nothing about which machines exist, and neither does a proxy in between
// that answers "not found".
func TestNoList(t *testing.T) {
	for name, misdeed := range map[string]spritestest.Misdeed{"bare": spritestest.Bare, "a server in between": spritestest.Wall} {
		t.Run(name, func(t *testing.T) {
			f := fake(t, spritestest.Options{})
			p := client(t, f)
			if _, err := p.Create(soon(t), spec(t, "ship-0")); err != nil {
				t.Fatal(err)
			}
			f.Plan(spritestest.Fault{Method: http.MethodGet, Path: "/v1/sprites/ship-0", Times: 100, Misdeed: spritestest.Wall})
			f.Plan(spritestest.Fault{Method: http.MethodGet, Path: "/v1/sprites", Times: 100, Misdeed: misdeed})
			providertest.SaysNothing(t, p, "ship-0")
		})
	}
}
