//go:build long

package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestDrainUnready drains a worker whose machine is being created, and another that waits for its machine. helm removes both workers with
// their machines, and their dispatches stay in the queue.
func TestDrainUnready(t *testing.T) { drainsUnready(t, 1) }

// TestDrainBeside drains one of two workers whose machines are both being created: helm removes it before the other is through.
func TestDrainBeside(t *testing.T) { drainsUnready(t, 2) }

// drainsUnready drains two workers where so many machines can be created at once, which takes hours.
func drainsUnready(t *testing.T, machines int) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far := spritestest.Start(t, spritestest.Options{Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, CreatesPerMinute: machines, Second: time.Hour})
	helmtest.AtSprites(t, far, hub)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Provider: "sprites"}, "")
	base := git(t, d, "rev-parse", "HEAD")
	v := openIt(t, h, d)
	ship := func(name string) (f fleet.Ship) {
		changes(v, func() {
			if is := v.Roster.Ship(name); is != nil {
				f = *is
			}
		})
		return f
	}
	gone := func(name string) {
		t.Helper()
		if err := v.Fit.Drain(name); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, name+" is gone", func() bool { return ship(name).Name == "" })
	}
	if err := v.Fit.Busy.Lock(t.Context()); err != nil { // both workers are made together: no fitting out begins when one is planned
		t.Fatal(err)
	}
	if _, err := v.Store.Add(t.Context(), []tasks.Task{(tasks.Dispatch{Command: "echo one >one", Base: base, Key: "one"}).Task()}); err != nil {
		t.Fatal(err)
	}
	v.puts(t, order(base, "echo two >two", 2))
	v.Fit.Busy.Unlock()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the ships are %+v, %+v; machines %q; notes %+v", ship("kite-1"), ship("kite-2"), far.Names(), v.Board().Notes)
		}
	})
	made, waits := "kite-1", "kite-2"
	eventually.Holds(t, "one is being made, and the other, too, or it waits for its machine", func() bool {
		if ship(made).Waits != "" {
			made, waits = waits, made
		}
		return len(far.Names()) == machines && (machines == 2 || ship(waits).Waits != "")
	})
	gone(made)
	gone(waits)
	eventually.Holds(t, "no machine is left", func() bool { return len(far.Names()) == 0 })
	for _, id := range []string{"1", "2"} {
		if s := v.state(id); s.Status != tasks.Pending || s.OnHold {
			t.Errorf("dispatch %s: %+v", id, s)
		}
	}
}
