//go:build long

package voyage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// stubborn is a provider that is down when it is first asked to destroy something.
type stubborn struct {
	provider.Provider
	asked atomic.Int32
}

func (s *stubborn) Destroy(ctx context.Context, name string) error {
	if s.asked.Add(1) == 1 {
		return errors.New("the service is down")
	}
	return s.Provider.Destroy(ctx, name)
}

// TestOldShips has two ships grow old: helm sinks the resting ship, though its provider is down at first, and the working ship when
// its task is merged. Neither gets another task.
func TestOldShips(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	here, err := local.Of(describe.Env{Hub: hub, Exe: helmtest.Program})
	if err != nil {
		t.Fatal(err)
	}
	h.Providers["local"] = h.Machines.Use(&stubborn{Provider: here})
	ahead := clocked(h)
	info := fleet.Voyage{CreatedAt: time.Now(), Guards: fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true, Prices: map[string]float64{"local": 0.5}}}
	d := helmtest.Voyage(t, hub, info, "#!/bin/sh\n",
		helmtest.Task("1", "while [ ! -e ~/go ]; do sleep 0.3; done; echo 1 >one"), after(helmtest.Task("2", "echo 2 >two"), "1"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "work", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.InProgress })
	worker := v.Store.Snapshot().Task("1").Owner
	v.watchman.Look(time.Now(), time.Second)
	if got := v.out(); got != "ship-0 ship-1" {
		t.Fatalf("young ships: %s are left", got)
	}
	ahead(8760 * time.Hour) // a wrong clock, in which all of them are old
	v.aged(8760 * time.Hour)
	v.watchman.Look(time.Now(), time.Second)
	if reads(v, func() bool { return v.ships["ship-0"].Barred(time.Now()) != nil }) {
		t.Error("the clock has jumped, and ships are sunk for it")
	}
	eventually.Holds(t, "the captain is told", func() bool { return v.told("the clock has jumped by 8760h: no ship is sunk for its age") })
	v.aged(-8760 * time.Hour)
	ahead(-8760 * time.Hour)
	v.aged(9 * time.Hour)
	v.looking(t, "the ship that rests is sunk", func() bool { return v.out() == worker })
	if !v.told("could not be sunk (older than 8h), and may cost on; " + fleet.UntilGone + ": ") {
		t.Errorf("nobody is told that a ship could not be sunk: %+v", v.Board().Notes)
	}
	b := v.Board()
	if !strings.Contains(b.Ships[0].Guard, "older than 8h: it is sunk when its task is done") || !strings.Contains(b.Guard, "older than 8h") {
		t.Errorf("the captain reads %q and %q", b.Ships[0].Guard, b.Guard)
	}
	if !b.Ships[0].Costs || b.Bill.Hour != 0.5 || b.Bill.SoFar < 9 || b.Bill.SoFar > 9.1 { // two ships, nine hours each
		t.Errorf("bill: %+v", b.Bill)
	}
	if err := os.WriteFile(filepath.Join(b.Ships[0].Home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	v.looking(t, "the other is sunk, too", func() bool { return v.out() == "" })
	none(t, h, d)
	if one, two := v.Store.Snapshot().Task("1"), v.Store.Snapshot().Task("2"); one.Status != tasks.Completed || two.Status != tasks.Pending {
		t.Errorf("task 1 is %s, task 2 %s", one.Status, two.Status)
	}
	if b := v.Board(); b.Phase != fleet.Sailing || b.Guard != "" || !v.told(worker+": was sunk, with its work merged: older than 8h") {
		t.Errorf("afterwards: %s, %q, %+v", b.Phase, b.Guard, b.Notes)
	}
}

// TestVerifiedShipsAreSunk has a voyage be verified: ships are sunk but for one with a file
// that is not merged, and the voyage with the last of them. Its directory stays.
func TestVerifiedShipsAreSunk(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), after(helmtest.Task("2", "echo 2 >two"), "1"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "complete", v.is(fleet.Complete))
	left := filepath.Join(v.Roster.Ship("ship-1").Home, "voyage", "workspace", "left")
	if err := os.WriteFile(left, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	beside := func(args ...string) string { return gitAt(t, filepath.Dir(left), args...) }
	beside("branch", "beside", beside("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "beside"))
	changes(v, func() { v.Guards.SinkVerified = true })
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

// TestRest counts how long a ship rests: not while helm did not look, over a restart of helm, and
// until it gets something to do. It is shown only when it costs.
func TestRest(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	info := fleet.Voyage{CreatedAt: time.Now(), Guards: fleet.Guards{IdleWarning: 3 * time.Minute, Prices: map[string]float64{"local": 0.1}}}
	d := helmtest.Voyage(t, hub, info, "#!/bin/sh\n", helmtest.Task("1", "while [ ! -e ~/go ]; do sleep 0.3; done"))
	first := startHelm(t, hub)
	v := openUnwatched(t, first, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	rests := func(v *Voyage) func() bool {
		return func() bool {
			working := 0
			for _, s := range v.Board().Ships {
				if s.Status.Word == fleet.Working {
					working++
				} else if s.Status.Word != fleet.Idle {
					return false
				}
			}
			return working == 1
		}
	}
	idle := func(v *Voyage) fleet.Ship {
		return reads(v, func() (resting fleet.Ship) {
			for _, f := range v.Roster.Now().Ships {
				if v.Look().Held(f.Name) == nil {
					resting = *f
				}
			}
			return resting
		})
	}
	eventually.Holds(t, "one works, one rests", rests(v))
	at := time.Now()
	v.watchman.Look(at, time.Minute)
	before := idle(v).Idle
	v.watchman.Look(at.Add(time.Minute), time.Minute)
	if got := idle(v).Idle - before; got < 50*time.Second || got > 70*time.Second {
		t.Errorf("after a minute it has rested for %s", got)
	}
	v.watchman.Look(at.Add(10*time.Hour), time.Minute) // the laptop slept
	slept := idle(v)
	if slept.Idle > 4*time.Minute || v.Board().Ships[slept.Number].Guard == "" {
		t.Errorf("after ten hours asleep it has rested for %s: %q", slept.Idle, v.Board().Ships[slept.Number].Guard)
	}
	first.Close()

	second := startHelm(t, hub)
	sinkAfter(t, second, d)
	v = openUnwatched(t, second, d)
	if got := idle(v).Idle; got < 2*time.Minute || got > slept.Idle {
		t.Errorf("helm was restarted, and it has rested for %s instead of %s", got, slept.Idle)
	}
	eventually.Holds(t, "one works, one rests", rests(v))
	at = time.Now()
	v.watchman.Look(at, time.Minute)
	v.watchman.Look(at.Add(time.Minute), time.Minute)
	name := slept.Name
	if got := idle(v).Idle; got < 2*time.Minute || v.watchman.Why(name) == "" {
		t.Errorf("it has rested for %s, told: %q", got, v.watchman.Why(name))
	}
	if _, err := v.Store.Add(context.Background(), []tasks.Task{helmtest.Task("2", "sleep 600")}); err != nil {
		t.Fatal(err)
	}
	v.looking(t, "it is at work", when(v, func() bool {
		f := v.Roster.Ship(name)
		return f.Idle == 0 && !f.Worked.Before(at.Round(0)) && v.watchman.Why(name) == ""
	}))
}
