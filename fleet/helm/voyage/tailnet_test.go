package voyage

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

// inTailnet is a hub with the secret of a tailnet, its helm and a voyage.
func inTailnet(t *testing.T, options apitest.Options) (*apitest.Fake, *Set, *Voyage) {
	t.Helper()
	fake := apitest.Start(t, options)
	hub := newHub(t)
	if err := install.KeepTailnet(hub, tailnet.Credentials{Secret: fake.Secret(), URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	h := startHelm(t, hub)
	return fake, h, openStill(t, h, newVoyage(t, hub, fleet.Voyage{}, "true\n"))
}

func hand(n int) *fleet.Ship {
	return &fleet.Ship{Name: fmt.Sprint("ship-", n), Number: n, Provider: "local", Built: 1, Phase: fleet.Provisioning}
}

// joins has a ship join the tailnet with a key of its own.
func joins(t *testing.T, fake *apitest.Fake, v *Voyage, f *fleet.Ship) apitest.Device {
	t.Helper()
	key, err := v.set.Machines.JoinKey(t.Context(), machines.IDOf(v.dir.ID(), f))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := fake.Join(key.Secret(), f.MachineName(v.dir.ID()))
	if err != nil {
		t.Fatal(err)
	}
	return joined
}

// away asserts that nothing is left on the tailnet, nor in the record, nor worth a key.
func away(t *testing.T, fake *apitest.Fake, h *Set) {
	t.Helper()
	if all := records(t, h); len(all)+len(fake.Devices())+len(fake.Keys()) > 0 {
		t.Errorf("left: %+v, %+v, %+v", fake.Devices(), fake.Keys(), all)
	}
}

// records are all machines on record.
func records(t *testing.T, h *Set) []machines.Record {
	t.Helper()
	all, err := h.Machines.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A ship that joined is off the tailnet as soon as it is removed.
func TestMembership(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{Late: 2})
	f := hand(0)
	key, err := h.Machines.JoinKey(t.Context(), machines.IDOf(v.dir.ID(), f))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := fake.Join(key.Secret(), f.MachineName(v.dir.ID()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.Machines.Joined(t.Context(), machines.IDOf(v.dir.ID(), f), joined.IPs[0])
	if err != nil || d.ID != joined.Node || d.IPs[0].String() != joined.IPs[0] {
		t.Fatalf("%+v, %v", d, err)
	}
	found := look(t, h, "local").Orphans
	if len(found) != 1 { // the test's API does not list that ship
		t.Fatalf("%+v", found)
	}
	v.roster.ChangeAnyway(func(all *fleet.Fleet) { all.Ships = append(all.Ships, f) })
	if got := look(t, h, "local").Orphans; len(got) > 0 {
		t.Errorf("a ship's: %+v", got)
	}
	if err := h.Sweeper.Sweep(t.Context(), api.SweepRequest{Machines: []api.SweepTarget{api.Target(found[0])}}, func(api.Progress) {}); err == nil {
		t.Error("a ship's device was swept")
	}
	secret := key.Secret()
	_ = filepath.WalkDir(h.Hub.Home, func(path string, d os.DirEntry, _ error) error {
		if raw, _ := os.ReadFile(path); strings.Contains(string(raw), secret) {
			t.Errorf("the key is in %s", path)
		}
		return nil
	})
	if err := v.Fit.Remove(t.Context(), f.Name, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	away(t, fake, h)
}

// Wherever helm was killed, the next one has what it needs to leave nothing behind.
func TestKilledWhileJoining(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	ctx := t.Context()
	join := func(key tailnet.Key, f *fleet.Ship) string {
		t.Helper()
		d, err := fake.Join(key.Secret(), f.MachineName(v.dir.ID()))
		if err != nil {
			t.Fatal(err)
		}
		return d.IPs[0]
	}
	for n, upTo := range []func(f *fleet.Ship){
		func(*fleet.Ship) {}, // before anything
		func(f *fleet.Ship) { // before the key came
			fake.Plan(apitest.Fault{Method: "POST", Path: "/tailnet/-/keys", Times: 1, Misdeed: apitest.Drop})
			if _, err := h.Machines.JoinKey(ctx, machines.IDOf(v.dir.ID(), f)); err == nil {
				t.Error("there is a key all the same")
			}
		},
		func(f *fleet.Ship) { // before it was known that it joined
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(v.dir.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			join(key, f)
		},
		func(f *fleet.Ship) { // after that
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(v.dir.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Machines.Joined(ctx, machines.IDOf(v.dir.ID(), f), join(key, f)); err != nil {
				t.Error(err)
			}
		},
		func(f *fleet.Ship) { // when it was joining again
			ip := ""
			for range 2 {
				key, err := h.Machines.JoinKey(ctx, machines.IDOf(v.dir.ID(), f))
				if err != nil {
					t.Fatal(err)
				}
				ip = join(key, f)
			}
			if _, err := h.Machines.Joined(ctx, machines.IDOf(v.dir.ID(), f), ip); err != nil {
				t.Error(err)
			}
		},
		func(f *fleet.Ship) { // while it was removed
			key, err := h.Machines.JoinKey(ctx, machines.IDOf(v.dir.ID(), f))
			if err != nil {
				t.Fatal(err)
			}
			join(key, f)
			if err := h.Machines.Unwant(machines.IDOf(v.dir.ID(), f), "tested", nil); err != nil {
				t.Fatal(err)
			}
		},
	} {
		f := hand(n)
		v.roster.ChangeAnyway(func(all *fleet.Fleet) { all.Ships = append(all.Ships, f) })
		upTo(f)
	}
	h.Close()
	again := startHelm(t, h.Hub)
	if err := again.Machines.Resume(); err != nil {
		t.Error(err)
	}
	d := v.dir
	v, err := again.open(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Fit.Sink(ctx, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "what was leaving before is forgotten", func() bool { return len(records(t, again)) == 0 })
	away(t, fake, again)
}

// A service that is down keeps no ship from being sunk, and nothing of it is forgotten.
func TestLeavingWhenTailscaleIsDown(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	var ships []*fleet.Ship
	for n := range 3 {
		f := hand(n)
		ships = append(ships, f)
		key, err := h.Machines.JoinKey(t.Context(), machines.IDOf(v.dir.ID(), f))
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			continue // it never joined
		}
		if _, err := fake.Join(key.Secret(), f.MachineName(v.dir.ID())); err != nil {
			t.Fatal(err)
		}
	}
	fake.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse})
	if err := v.set.destroys(t, v.dir, ships[0]); err != nil {
		t.Fatal(err)
	}
	notes := fmt.Sprint(reads(v, v.notes.List))
	if !strings.Contains(notes, "may still be there; "+fleet.UntilGone) || !strings.Contains(notes, "503") {
		t.Errorf("told: %q", notes)
	}
	fake.Forgive()
	old := fake.Secret()
	fake.Renew() // the secret was revoked meanwhile
	for _, f := range ships[1:] {
		if err := v.set.destroys(t, v.dir, f); err != nil {
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
		return len(all) == 1 && all[0].ID == machines.IDOf(v.dir.ID(), ships[2])
	})
}

// destroys destroys a ship's machine, as a removal does.
func (h *Set) destroys(t *testing.T, d fleet.Dir, f *fleet.Ship) error {
	id := machines.IDOf(d.ID(), f)
	if !h.Machines.Has(id) {
		return nil
	}
	return h.Machines.Until(t.Context(), id, "tested", nil, func(string) {})
}

// One answer that lacks a device is no proof that it is gone.
func TestLeavingWhenTailscaleLies(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	f := hand(0)
	if _, err := h.Machines.Joined(t.Context(), machines.IDOf(v.dir.ID(), f), joins(t, fake, v, f).IPs[0]); err != nil {
		t.Fatal(err)
	}
	fake.Plan(apitest.Fault{Method: http.MethodGet, Path: "/device/*", Times: 1, Misdeed: apitest.Miss})
	if err := v.set.destroys(t, v.dir, f); err != nil {
		t.Fatal(err)
	}
	if all := records(t, h); len(all) != 1 || !all[0].Gone || len(fake.Devices()) != 1 || fake.Forgive() > 0 {
		t.Fatalf("%+v, %+v", all, fake.Devices())
	}
	eventually.Holds(t, "it is gone", func() bool {
		return len(records(t, h)) == 0
	})
	away(t, fake, h)
}

// Two installs with one tailnet leave each other's devices alone, also when a voyage of both has the same id.
func TestMembershipsOfTwoInstalls(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	f := hand(0)
	joins(t, fake, v, f)
	other := fleet.Hub{Home: t.TempDir()}
	other.Voyages, other.State, other.Config = filepath.Join(other.Home, "voyages"), filepath.Join(other.Home, "state"), filepath.Join(other.Home, "config")
	other.Cache = filepath.Join(other.Home, "cache")
	other.Runtime, _ = fleet.RuntimeDir(other.State)
	if err := errors.Join(other.Make(), install.KeepTailnet(other, tailnet.Credentials{Secret: fake.Secret(), URL: fake.URL})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other.Runtime) })
	h2 := startHelm(t, other)
	if got := look(t, h2, "local"); len(got.Orphans)+len(got.Others) > 0 {
		t.Errorf("another's: %+v", got)
	}
	swept := api.SweepRequest{Sure: true, Machines: []api.SweepTarget{{Provider: "local", Name: f.MachineName(v.dir.ID())}}}
	if err := h2.Sweeper.Sweep(t.Context(), swept, func(api.Progress) {}); err != nil || len(fake.Devices()) != 1 {
		t.Errorf("another's device was swept, or that failed: %v", err)
	}
	if err := h2.destroys(t, v.dir, f); err != nil { // of a voyage of the same id
		t.Fatal(err)
	}
	if n := len(fake.Devices()); n != 1 {
		t.Fatalf("%d devices", n)
	}
	h.mu.Lock()
	delete(h.voyages, v.dir.ID())
	h.mu.Unlock()
	v.close()                                           // no goroutine may write into the directory while it is removed
	if err := os.RemoveAll(string(v.dir)); err != nil { // by hand: the record outlives it
		t.Fatal(err)
	}
	if got := look(t, h, "local"); len(got.Orphans) != 1 {
		t.Errorf("%+v", got)
	}
	if err := h.Sweeper.Sweep(t.Context(), swept, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	away(t, fake, h)
}
