package voyage

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
)

// TestSunkPool has a dispatch that was on its way when its pool was sunk make no machine.
func TestSunkPool(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	v := openIt(t, h, d)
	if err := v.Fit.Sink(t.Context(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Store.Add(t.Context(), []tasks.Task{(tasks.Dispatch{Command: "echo x >x", Base: base, Key: "late"}).Task()}); err != nil {
		t.Fatal(err)
	}
	if err := v.Fit.Plan("local", 1, "", ""); err == nil || !strings.Contains(err.Error(), "sunk") {
		t.Errorf("it has a worker made: %v", err)
	}
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { // planned just before
		f.Ships = append(f.Ships, &fleet.Ship{Name: "kite-1", Number: 1, Role: fleet.Worker, Agent: "script", Provider: "local", Built: 1, Phase: fleet.Planned})
	})
	if err := v.Fit.Again(nil); err != nil && !errors.Is(err, fit.ErrSinking) && v.Context.Err() == nil { // helm itself may have given it up, and left
		t.Errorf("it is fitted out: %v", err)
	}
	if records, err := h.Machines.All(); err != nil || len(records) > 0 {
		t.Errorf("machines are on record: %+v, %v", records, err)
	}
}
