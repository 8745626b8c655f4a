package helm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// after makes a task that others block.
func after(t tasks.Task, blockers ...string) tasks.Task {
	t.BlockedBy = blockers
	return t
}

// aged makes all ships, and the voyage, so much older.
func (v *voyage) aged(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.info.CreatedAt = v.info.CreatedAt.Add(-d)
	for _, f := range v.fleet.Ships {
		f.Created = f.Created.Add(-d)
	}
}

// clocked gives helm clocks of the test's own: they have run evenly for long, and the calendar can be set
// ahead.
func clocked(h *Helm) (ahead func(time.Duration)) {
	var set, ran atomic.Int64
	ran.Store(int64(time.Hour))
	h.calendar.mu.Lock()
	began := time.Now()
	h.calendar.clock = fleet.Clock{}
	h.calendar.clock.Compare(began, 0)
	h.calendar.clock.Compare(began.Add(time.Hour), time.Hour)
	h.calendar.read = func() (time.Time, time.Duration) {
		now := time.Duration(ran.Load())
		return began.Add(now + time.Duration(set.Load())), now
	}
	h.calendar.mu.Unlock()
	return func(by time.Duration) {
		set.Add(int64(by))
		h.calendar.readClock()
		if by < 0 { // and some time later
			ran.Add(int64(time.Hour))
		}
	}
}

// looking has helm look until something is true of the voyage.
func (v *voyage) looking(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventually.Holds(t, what, func() bool {
		v.mu.Lock()
		clear(v.guardAgain)
		v.mu.Unlock()
		v.keepWatch(time.Now(), time.Second)
		return ok()
	})
}

// openUnwatched opens a voyage whose costs helm looks at when the test says so: the test has a clock of its own.
func openUnwatched(t *testing.T, h *Helm, d fleet.Dir) *voyage {
	t.Helper()
	v := openStill(t, h, d)
	v.startWork()
	return v
}

// out lists the ships that there are.
func (v *voyage) out() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var names []string
	for _, f := range v.fleet.Ships {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func (v *voyage) told(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.ContainsFunc(v.notes.list(), func(n fleet.Note) bool { return strings.Contains(n.Ship+": "+n.Text, text) })
}

// TestVerifiedShipsAreSunk has a voyage be verified: ships are sunk but for one with a file
// that is not merged, and the voyage with the last of them. Its directory stays.
func TestVerifiedShipsAreSunk(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"), after(task("2", "echo 2 >two"), "1"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "complete", v.is(fleet.Complete))
	left := filepath.Join(v.fleet.ShipNamed("ship-1").Home, "voyage", "workspace", "left")
	if err := os.WriteFile(left, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	beside := func(args ...string) string { return gitAt(t, filepath.Dir(left), args...) }
	beside("branch", "beside", beside("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "beside"))
	v.mu.Lock()
	v.guards.SinkVerified = true
	v.mu.Unlock()
	const spared = "ship-1: the voyage is verified, and not sunk, as 1 file and 1 commit on branch beside are not merged"
	v.looking(t, "one is sunk, the other spared", func() bool { return v.out() == "ship-1" && v.told(spared) })
	if !v.is(fleet.Complete)() {
		t.Error("the voyage is not complete any more")
	}
	if err := os.Remove(left); err != nil {
		t.Fatal(err)
	}
	v.looking(t, "the branch alone spares it", func() bool { return v.told("not sunk, as 1 commit on branch beside is not merged") })
	beside("branch", "-D", "beside")
	v.looking(t, "all is sunk", v.is(fleet.Sunk))
	none(t, h, d)
	if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk || !f.Verify.Passed {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := os.Stat(filepath.Join(d.Workspace(), "two")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.Secrets()); !os.IsNotExist(err) {
		t.Errorf("secrets: %v", err)
	}
}

// TestRest counts how long a ship rests: not while helm did not look, over a restart of helm,
// and until it is given something to do. It is told of only when it costs.
func TestRest(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	info := fleet.Voyage{CreatedAt: time.Now(), Guards: fleet.Guards{IdleWarning: 3 * time.Minute, Prices: map[string]float64{"local": 0.1}}}
	d := newVoyage(t, hub, info, "#!/bin/sh\n", task("1", "while [ ! -e ~/go ]; do sleep 0.3; done"))
	first := startHelm(t, hub)
	v := openUnwatched(t, first, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	rests := func(v *voyage) func() bool {
		return func() bool {
			working := 0
			for _, s := range v.currentBoard().Ships {
				if s.Status.Word == fleet.Working {
					working++
				} else if s.Status.Word != fleet.Idle {
					return false
				}
			}
			return working == 1
		}
	}
	idle := func(v *voyage) (resting *fleet.Ship) {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, f := range v.fleet.Ships {
			if v.look().Held(f.Name) == nil {
				resting = f
			}
		}
		copied := *resting
		return &copied
	}
	eventually.Holds(t, "one works, one rests", rests(v))
	at := time.Now()
	v.keepWatch(at, time.Minute)
	before := idle(v).Idle
	v.keepWatch(at.Add(time.Minute), time.Minute)
	if got := idle(v).Idle - before; got < 50*time.Second || got > 70*time.Second {
		t.Errorf("after a minute it has rested for %s", got)
	}
	v.keepWatch(at.Add(10*time.Hour), time.Minute) // the laptop slept
	slept := idle(v)
	if slept.Idle > 4*time.Minute || v.currentBoard().Ships[slept.Number].Guard == "" {
		t.Errorf("after ten hours asleep it has rested for %s: %q", slept.Idle, v.currentBoard().Ships[slept.Number].Guard)
	}
	first.close()

	second := startHelm(t, hub)
	sinkAfter(t, second, d)
	v = openUnwatched(t, second, d)
	if got := idle(v).Idle; got < 2*time.Minute || got > slept.Idle {
		t.Errorf("helm was restarted, and it has rested for %s instead of %s", got, slept.Idle)
	}
	eventually.Holds(t, "one works, one rests", rests(v))
	at = time.Now()
	v.keepWatch(at, time.Minute)
	v.keepWatch(at.Add(time.Minute), time.Minute)
	name := slept.Name
	if got := idle(v).Idle; got < 2*time.Minute || v.vigil.why[name] == "" {
		t.Errorf("it has rested for %s, told: %q", got, v.vigil.why)
	}
	if _, err := v.store.Add(context.Background(), []tasks.Task{task("2", "sleep 600")}); err != nil {
		t.Fatal(err)
	}
	v.looking(t, "it is at work", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		f := v.fleet.ShipNamed(name)
		return f.Idle == 0 && !f.Worked.Before(at.Round(0)) && v.vigil.why[name] == ""
	})
}
