package voyages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

// inTailnet is a hub with the secret of a tailnet, its helm and a voyage that is not open.
func inTailnet(t *testing.T, options apitest.Options) (*apitest.Fake, *Set, fleet.Dir) {
	t.Helper()
	fake := apitest.Start(t, options)
	hub := helmtest.Hub(t)
	if err := install.KeepTailnet(hub, tailnet.Credentials{Secret: fake.Secret(), URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	return fake, newSet(t, hub), helmtest.Voyage(t, hub, fleet.Voyage{}, "true\n")
}

func hand(n int) *fleet.Ship {
	return &fleet.Ship{Name: fmt.Sprint("ship-", n), Number: n, Provider: "local", Built: 1, Phase: fleet.Provisioning}
}

// haveShips gives a voyage that is not open its ships.
func haveShips(t *testing.T, d fleet.Dir, ships ...*fleet.Ship) {
	t.Helper()
	if err := (&fleet.Fleet{Phase: fleet.Sailing, Ships: ships}).Save(d); err != nil {
		t.Fatal(err)
	}
}

// joins has a ship join the tailnet with a key of its own, which it returns.
func joins(t *testing.T, fake *apitest.Fake, h *Set, d fleet.Dir, f *fleet.Ship) (device apitest.Device, secret string) {
	t.Helper()
	key, err := h.Machines.JoinKey(t.Context(), machines.IDOf(d.ID(), f))
	if err != nil {
		t.Fatal(err)
	}
	if device, err = fake.Join(key.Secret(), f.MachineName(d.ID())); err != nil {
		t.Fatal(err)
	}
	return device, key.Secret()
}

// isAway fails the test if anything is left on the tailnet, on record, or worth a key.
func isAway(t *testing.T, fake *apitest.Fake, h *Set) {
	t.Helper()
	if all := records(t, h); len(all)+len(fake.Devices())+len(fake.Keys()) > 0 {
		t.Errorf("left: %+v, %+v, %+v", fake.Devices(), fake.Keys(), all)
	}
}

// records returns all machines on record.
func records(t *testing.T, h *Set) []machines.Record {
	t.Helper()
	all, err := h.Machines.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// destroys destroys a ship's machine, as a removal does.
func destroys(t *testing.T, h *Set, d fleet.Dir, f *fleet.Ship) error {
	id := machines.IDOf(d.ID(), f)
	if !h.Machines.Has(id) {
		return nil
	}
	return h.Machines.Until(t.Context(), id, "tested", nil, func(string) {})
}

// A ship that joined is not swept, its key is nowhere on the disk, and it is off the tailnet as soon as it is removed.
func TestMembership(t *testing.T) {
	t.Parallel()
	fake, h, d := inTailnet(t, apitest.Options{Late: 2})
	f := hand(0)
	joined, secret := joins(t, fake, h, d, f)
	is, err := h.Machines.Joined(t.Context(), machines.IDOf(d.ID(), f), joined.IPs[0])
	if err != nil || is.ID != joined.Node || is.IPs[0].String() != joined.IPs[0] {
		t.Fatalf("%+v, %v", is, err)
	}
	found := find(t, h, "local").Orphans
	if len(found) != 1 { // the test's API does not list that ship
		t.Fatalf("%+v", found)
	}
	haveShips(t, d, f)
	v := openStill(t, h, d)
	if got := find(t, h, "local").Orphans; len(got) > 0 {
		t.Errorf("a ship's: %+v", got)
	}
	if err := h.Sweeper.Sweep(t.Context(), api.SweepRequest{Machines: []api.SweepTarget{api.Target(found[0])}}, func(api.Progress) {}); err == nil {
		t.Error("a ship's device was swept")
	}
	_ = filepath.WalkDir(h.Hub.Home, func(path string, d os.DirEntry, _ error) error {
		if raw, _ := os.ReadFile(path); strings.Contains(string(raw), secret) {
			t.Errorf("the key is in %s", path)
		}
		return nil
	})
	if err := v.Fit.Remove(t.Context(), f.Name, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	isAway(t, fake, h)
}

// A device is swept that this install wrote down and whose ship is gone.
func TestSweepTailnet(t *testing.T) {
	t.Parallel()
	fake, h, d := inTailnet(t, apitest.Options{})
	f := hand(0)
	joins(t, fake, h, d, f)
	machine := f.MachineName(d.ID())
	got := find(t, h, "local").Orphans
	if len(got) != 1 || got[0].Provider != f.Provider || got[0].Name != machine {
		t.Fatalf("found %+v", got)
	}
	h.Sweeper.Look()
	if known := known(t, h); len(known) != 1 || known[0].Name != machine {
		t.Errorf("helm knows of %+v", known)
	}
	if err := h.Sweeper.Sweep(t.Context(), api.SweepRequest{Machines: []api.SweepTarget{api.Target(got[0])}}, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	if known := known(t, h); len(known) > 0 {
		t.Errorf("helm knows of %+v", known)
	}
	isAway(t, fake, h)
}

// Wherever helm was killed, the next one has what it needs to leave nothing behind.
func TestKilledWhileJoining(t *testing.T) {
	t.Parallel()
	fake, h, d := inTailnet(t, apitest.Options{})
	ctx := t.Context()
	join := func(key tailnet.Key, f *fleet.Ship) string {
		t.Helper()
		device, err := fake.Join(key.Secret(), f.MachineName(d.ID()))
		if err != nil {
			t.Fatal(err)
		}
		return device.IPs[0]
	}
	var ships []*fleet.Ship
	for n, upTo := range []func(f *fleet.Ship){
		func(*fleet.Ship) {}, // before anything
		func(f *fleet.Ship) { // before the key came
			fake.Plan(apitest.Fault{Method: "POST", Path: "/tailnet/-/keys", Times: 1, Misdeed: apitest.Drop})
			if _, err := h.Machines.JoinKey(ctx, machines.IDOf(d.ID(), f)); err == nil {
				t.Error("there is a key all the same")
			}
		},
		func(f *fleet.Ship) { // before it was known that it joined
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(d.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			join(key, f)
		},
		func(f *fleet.Ship) { // after that
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(d.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Machines.Joined(ctx, machines.IDOf(d.ID(), f), join(key, f)); err != nil {
				t.Error(err)
			}
		},
		func(f *fleet.Ship) { // when it was joining again
			ip := ""
			for range 2 {
				key, err := h.Machines.JoinKey(ctx, machines.IDOf(d.ID(), f))
				if err != nil {
					t.Fatal(err)
				}
				ip = join(key, f)
			}
			if _, err := h.Machines.Joined(ctx, machines.IDOf(d.ID(), f), ip); err != nil {
				t.Error(err)
			}
		},
		func(f *fleet.Ship) { // while it was removed
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(d.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			join(key, f)
			if err := h.Machines.Unwant(machines.IDOf(d.ID(), f), "tested", nil); err != nil {
				t.Fatal(err)
			}
		},
	} {
		f := hand(n)
		ships = append(ships, f)
		upTo(f)
	}
	haveShips(t, d, ships...)
	h.Close()
	again := newSet(t, h.Hub)
	if err := again.Machines.Resume(); err != nil {
		t.Error(err)
	}
	if err := openIt(t, again, d).Fit.Sink(ctx, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "what was leaving before is forgotten", func() bool { return len(records(t, again)) == 0 })
	isAway(t, fake, again)
}

// A service that is down keeps no ship from being sunk, and nothing of it is forgotten.
func TestLeavingWhenTailscaleIsDown(t *testing.T) {
	t.Parallel()
	fake, h, d := inTailnet(t, apitest.Options{})
	v := openStill(t, h, d)
	var ships []*fleet.Ship
	for n := range 3 {
		f := hand(n)
		ships = append(ships, f)
		key, err := h.Machines.JoinKey(t.Context(), machines.IDOf(d.ID(), f))
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			continue // it never joined
		}
		if _, err := fake.Join(key.Secret(), f.MachineName(d.ID())); err != nil {
			t.Fatal(err)
		}
	}
	fake.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse})
	if err := destroys(t, h, d, ships[0]); err != nil {
		t.Fatal(err)
	}
	notes := notesOf(v)
	if !strings.Contains(notes, "may still be there; "+fleet.UntilGone) || !strings.Contains(notes, "503") {
		t.Errorf("told: %q", notes)
	}
	fake.Forgive()
	old := fake.Secret()
	fake.Renew() // the secret was revoked meanwhile
	for _, f := range ships[1:] {
		if err := destroys(t, h, d, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := install.KeepTailnet(h.Hub, tailnet.Credentials{Secret: fake.Secret(), URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	if old == fake.Secret() {
		t.Fatal("the fake's secret did not change")
	}
	eventually.Holds(t, "devices are gone", func() bool { return len(fake.Devices()) == 0 && len(fake.Keys()) == 0 })
	eventually.Holds(t, "all but the late one is forgotten", func() bool {
		all := records(t, h)
		return len(all) == 1 && all[0].ID == machines.IDOf(d.ID(), ships[2])
	})
}

// Two installs with one tailnet leave each other's devices alone, also when a voyage of both has the same id.
func TestMembershipsOfTwoInstalls(t *testing.T) {
	t.Parallel()
	fake, h, d := inTailnet(t, apitest.Options{})
	f := hand(0)
	joins(t, fake, h, d, f)
	other := helmtest.HubAt(t, t.TempDir())
	if err := install.KeepTailnet(other, tailnet.Credentials{Secret: fake.Secret(), URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other.Runtime) })
	h2 := newSet(t, other)
	if got := find(t, h2, "local"); len(got.Orphans)+len(got.Others) > 0 {
		t.Errorf("another's: %+v", got)
	}
	swept := api.SweepRequest{Sure: true, Machines: []api.SweepTarget{{Provider: "local", Name: f.MachineName(d.ID())}}}
	if err := h2.Sweeper.Sweep(t.Context(), swept, func(api.Progress) {}); err != nil || len(fake.Devices()) != 1 {
		t.Errorf("another's device was swept, or that failed: %v", err)
	}
	if err := destroys(t, h2, d, f); err != nil { // of a voyage of the same id
		t.Fatal(err)
	}
	if n := len(fake.Devices()); n != 1 {
		t.Fatalf("%d devices", n)
	}
	if err := os.RemoveAll(string(d)); err != nil { // by hand: the record outlives it
		t.Fatal(err)
	}
	if got := find(t, h, "local"); len(got.Orphans) != 1 {
		t.Errorf("%+v", got)
	}
	if err := h.Sweeper.Sweep(t.Context(), swept, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	isAway(t, fake, h)
}
