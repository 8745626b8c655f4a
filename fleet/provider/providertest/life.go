package providertest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"ocaptain/fleet/provider"
)

func ensureRunning(t *testing.T, h *harness, m provider.Machine) {
	pid := h.run(m, "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!")
	again, err := h.Provider.Ensure(h.ctx(), "ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != m.ID || again.Addr != m.Addr || again.State != provider.Running {
		t.Errorf("got %+v, want %+v", again, m)
	}
	if got := h.run(again, "kill -0 "+pid+" && echo alive"); got != "alive" {
		t.Error("its process has ended")
	}
}

func ensureDead(t *testing.T, h *harness) {
	if h.Kill == nil {
		return
	}
	m := h.create("ship-0")
	h.run(m, "echo mine >~/file")
	h.Kill(m)
	found, err := h.Provider.Get(h.ctx(), "ship-0")
	if err != nil || found.State == provider.Running {
		t.Errorf("dead, and shown as %+v, %v", found, err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := h.Again().Ensure(h.ctx(), "ship-0"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	again, err := h.Provider.Ensure(h.ctx(), "ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != m.ID || again.HostKey != m.HostKey || again.State != provider.Running {
		t.Errorf("got %+v, want %+v", again, m)
	}
	if got := h.run(again, "cat ~/file"); got != "mine" {
		t.Errorf("its file has %q", got)
	}
	// Dial with the description from before the restart still reaches the machine.
	if got := h.run(m, "cat ~/file"); got != "mine" {
		t.Errorf("by the old machine, its file has %q", got)
	}
}

func ensureMissing(t *testing.T, h *harness) {
	if _, err := h.Provider.Ensure(h.ctx(), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if found, err := h.Provider.List(h.ctx(), nil); err != nil || len(found) != 0 {
		t.Errorf("now there is %v, %v", found, err)
	}
}

func destroy(t *testing.T, h *harness) {
	m, other := h.create("ship-0"), h.create("ship-1")
	h.run(m, "sleep 1000 </dev/null >/dev/null 2>&1 & mkdir -p ~/mod/sub && touch ~/mod/sub/file && chmod 555 ~/mod/sub ~/mod")
	h.gone(h.ctx(), "ship-0")
	if left := h.Leftovers(m); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := h.Provider.Get(h.ctx(), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
	if found, err := h.Provider.List(h.ctx(), nil); err != nil || len(found) != 1 {
		t.Errorf("list: %v, %v", found, err)
	}
	if got := h.run(other, "echo hello"); got != "hello" {
		t.Errorf("the other machine says %q", got)
	}
}

func destroyMissing(t *testing.T, h *harness) {
	for _, name := range []string{"ship-0", "never-was", "../x", ""} {
		h.gone(h.ctx(), name)
	}
	h.create("ship-0")
	for range 2 {
		h.gone(h.ctx(), "ship-0")
	}
}

func createAfterDestroy(t *testing.T, h *harness) {
	m := h.create("ship-0")
	h.run(m, "echo mine >~/file")
	h.gone(h.ctx(), "ship-0")
	spec := h.spec("ship-0")
	spec.Labels = map[string]string{"install": "i1", "voyage": "voyage-2"}
	again, err := h.Provider.Create(h.ctx(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if again.ID == m.ID {
		t.Error("it has the id of the first one")
	}
	if got := h.run(again, "cat ~/file 2>/dev/null || echo none"); got != "none" {
		t.Errorf("it has a file of the first one: %q", got)
	}
}

func destroyConcurrently(t *testing.T, h *harness) {
	m := h.create("ship-0")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := h.Again().Destroy(h.ctx(), "ship-0"); err != nil && !errors.Is(err, provider.ErrNotFound) {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := h.Again().Ensure(h.ctx(), "ship-0"); err != nil && !errors.Is(err, provider.ErrNotFound) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.gone(h.ctx(), "ship-0")
	if left := h.Leftovers(m); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func cancelled(t *testing.T, h *harness, m provider.Machine) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for what, call := range map[string]func() error{
		"create": func() error { _, err := h.Provider.Create(ctx, h.spec("ship-1")); return err },
		"list":   func() error { _, err := h.Provider.List(ctx, nil); return err },
		"dial":   func() error { _, err := h.Provider.Dial(ctx, m); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.destroyLater("ship-1")
	if got := h.run(m, "echo hello"); got != "hello" {
		t.Errorf("the machine says %q", got)
	}
}
