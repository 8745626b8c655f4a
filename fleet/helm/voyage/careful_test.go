package voyage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

const adrift = "voyage-0123456789ab-ship0"

func notesOf(v *Voyage) string { return fmt.Sprintf("%+v", v.notes.List()) }

// adriftOf are the machines without a voyage that helm knows of, once it has looked.
func adriftOf(t *testing.T, h *Set) []machines.Orphan {
	t.Helper()
	all, err := h.Sweeper.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestUnwantedIsTold has a machine that is to be destroyed stay: the captain is told why, once, until it is gone.
func TestUnwantedIsTold(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	v := openIt(t, h, newVoyage(t, h.Hub, fleet.Voyage{}, "true\n"))
	y := inYard(t, h, adrift)
	h.Sweeper.Look()
	y.breaks(errors.New("out of order"))
	for range 2 {
		if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: adrift}, "", nil); err == nil {
			t.Fatal("it is destroyed")
		}
	}
	if n := strings.Count(notesOf(v), adrift+" at local could not be destroyed and may cost you; "+fleet.UntilGone+": out of order"); n != 1 {
		t.Errorf("told %d times: %q", n, notesOf(v))
	}
	if got := slices.DeleteFunc(adriftOf(t, h), func(o machines.Orphan) bool { return !o.Unwanted }); len(got) != 1 || !got[0].Unwanted || got[0].Trouble == "" {
		t.Errorf("doomed: %+v", got)
	}
	if got := look(t, h, "local").Orphans; len(got) != 1 || !strings.HasPrefix(got[0].Trouble, "out of order") {
		t.Errorf("found %+v", got)
	}
	if r, _ := h.Machines.Get(machines.ID{Provider: "local", Name: adrift}); !strings.HasPrefix(r.Trouble, "out of order") {
		t.Errorf("on record is %+v", r)
	}
	y.breaks(nil)
	if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: adrift}, "", nil); err != nil {
		t.Error(err)
	}
	if !strings.Contains(notesOf(v), adrift+" at local is gone at last") {
		t.Errorf("told %q", notesOf(v))
	}
	if got := adriftOf(t, h); len(got) > 0 { // although no sweep ran
		t.Errorf("known: %+v", got)
	}
	noRecords(t, h.Hub)
}

// TestWorkThatStays leaves a machine alone whose work cannot be brought home, unless it may be lost.
func TestWorkThatStays(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	y := inYard(t, h, adrift)
	r := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: adrift}}, Sure: true}
	err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "not destroyed, as its work could not be brought home") || !strings.Contains(err.Error(), "ocaptain sweep "+adrift+" --force") || len(y.machines) != 1 {
		t.Errorf("swept %q: %v", y.machines, err)
	}
	if r, there := h.Machines.Get(machines.ID{Provider: "local", Name: adrift}); !there || r.Unwanted {
		t.Errorf("on record is %+v", r)
	}
	r.Lose = true
	var news account
	if err := h.Sweeper.Sweep(context.Background(), r, news.report); err != nil || len(y.machines) > 0 || !strings.Contains(news.text(), "is lost, as it could not be brought home") {
		t.Errorf("left %q: %v\n%s", y.machines, err, news.text())
	}
}

// TestUnmounted sweeps nothing while the disk with the voyages may not be mounted, unless the captain is sure.
func TestUnmounted(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	y := inYard(t, h, adrift)
	doubt := func() string {
		t.Helper()
		text, err := h.Machines.Unmounted(hub.Voyages)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := doubt(); got != hub.Voyages+" has not the voyage whose machines are remembered; is a disk unmounted, or was it moved?" {
		t.Errorf("empty: %q", got)
	}
	other := newVoyage(t, hub, fleet.Voyage{}, "true\n")
	if doubt() == "" {
		t.Error("no doubt, as there is a voyage without machines")
	}
	one := machines.Record{ID: machines.ID{Provider: "local", Name: other.ID() + "-ship0"}, Voyage: other.ID()}
	if err := h.Machines.Put(one); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != "" {
		t.Errorf("with another's directory there: %q", got)
	}
	if err := os.RemoveAll(hub.Voyages); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != hub.Voyages+" is not there; is a disk unmounted?" {
		t.Errorf("missing: %q", got)
	}
	r := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: adrift}}, Lose: true}
	if err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {}); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "is a disk unmounted?") || len(y.machines) != 1 {
		t.Errorf("swept: %v", err)
	}
	r.Sure = true
	if err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {}); err != nil || len(y.machines) > 0 {
		t.Errorf("not swept: %v", err)
	}
	one.Unwanted = true
	if err := h.Machines.Put(one); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != "" {
		t.Errorf("when all are being destroyed: %q", got)
	}
}

// TestSweepTailnet sweeps a device that this install wrote down and whose ship is gone. Others' are not even told of.
func TestSweepTailnet(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	f := hand(0)
	joins(t, fake, v, f)
	machine := f.MachineName(v.dir.ID())
	v.roster.ChangeAnyway(func(all *fleet.Fleet) { all.Ships = append(all.Ships, f) })
	if got := look(t, h, "local").Orphans; len(got) > 0 {
		t.Errorf("a ship's: %+v", got)
	}
	v.roster.ChangeAnyway(func(all *fleet.Fleet) { all.Ships = nil })
	got := look(t, h, "local").Orphans
	if len(got) != 1 || got[0].Provider != f.Provider || got[0].Name != machine {
		t.Fatalf("found %+v", got)
	}
	h.Sweeper.Look()
	if known := adriftOf(t, h); len(known) != 1 || known[0].Name != machine {
		t.Errorf("helm knows of %+v", known)
	}
	if err := h.Sweeper.Sweep(t.Context(), api.SweepRequest{Machines: []api.SweepTarget{api.Target(got[0])}}, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	if known := adriftOf(t, h); len(known) > 0 {
		t.Errorf("helm knows of %+v", known)
	}
	away(t, fake, h)
}

// TestRemovalsMeet destroys the machines of several ships at the same time after a restart of helm.
func TestRemovalsMeet(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	v := openIt(t, h, newVoyage(t, h.Hub, fleet.Voyage{}, "true\n"))
	y := inYard(t, h, adrift)
	var mu gosync.Mutex
	met, all := map[string]bool{}, make(chan struct{})
	y.destroys = func(name string) {
		mu.Lock()
		if !met[name] {
			if met[name] = true; len(met) == 3 {
				close(all)
			}
		}
		mu.Unlock()
		<-all
	}
	if err := v.Fit.Busy.Lock(t.Context()); err != nil { // helm finishes removals when it opens the voyage
		t.Fatal(err)
	}
	v.roster.ChangeAnyway(func(all *fleet.Fleet) {
		for n := range 3 {
			f := hand(n)
			f.Phase = fleet.Going
			all.Ships = append(all.Ships, f)
			if err := h.Machines.Put(machines.Record{ID: machines.IDOf(v.dir.ID(), f), Voyage: v.dir.ID()}); err != nil {
				t.Fatal(err)
			}
		}
	})
	v.Fit.Busy.Unlock()
	v.Fit.Resume()
	eventually.Holds(t, "none waits for another", when(v, func() bool { return len(v.roster.Now().Ships) == 0 }))
}

// TestTaskThatStays removes a ship whose task cannot be taken back: it is listed until that is done.
func TestTaskThatStays(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	d := newVoyage(t, h.Hub, fleet.Voyage{}, "true\n", task("1", "true"))
	v := openIt(t, h, d)
	inYard(t, h, adrift)
	v.roster.ChangeAnyway(func(all *fleet.Fleet) {
		f := hand(0)
		f.Phase = fleet.Failed
		all.Ships = append(all.Ships, f)
	})
	if _, err := v.store.Claim(t.Context(), "ship-0", "1"); err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(d.Workspace(), ".git") // which is asked whether the task was merged
	if err := os.Rename(repo, repo+"-away"); err != nil {
		t.Fatal(err)
	}
	err := v.Fit.Remove(t.Context(), "ship-0", func(api.Progress) {})
	if err == nil || !errors.Is(err, fit.ErrStays) || !strings.Contains(lingers(v, "ship-0"), "its task could not be taken back, which is tried again: ") {
		t.Errorf("%v; %s", err, lingers(v, "ship-0"))
	}
	if err := os.Rename(repo+"-away", repo); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is taken back", when(v, func() bool { return len(v.roster.Now().Ships) == 0 }))
	if now := v.store.Snapshot().Task("1"); now.Status != tasks.Pending || now.Owner != "" {
		t.Errorf("task: %+v", now)
	}
}
