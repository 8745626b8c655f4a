package voyages

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
)

// Helm removes a voyage that is sunk, also while it has the voyage open, and refuses while a machine of the voyage may be there.
func TestRemove(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Name: "auth"}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	v := openStill(t, h, d)
	refused := func(why string) {
		t.Helper()
		if err := h.Remove(t.Context(), "auth"); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
		if _, err := os.Stat(d.Voyage()); err != nil {
			t.Fatal(err)
		}
	}
	refused("not sunk")
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if err := h.Machines.Put(machines.Record{ID: machines.ID{Provider: "local", Name: "left"}, Voyage: d.ID()}); err != nil {
		t.Fatal(err)
	}
	refused("machine left")
	if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: "left"}, "the test", nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Remove(t.Context(), d.ID()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(hub.Voyages); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
	if v, _ := h.opened(d.ID()); v != nil {
		t.Error("helm has it still")
	}
	if err := h.Remove(t.Context(), d.ID()); !errors.Is(err, api.ErrNotFound) {
		t.Error(err)
	}
}
