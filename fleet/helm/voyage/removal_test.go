package voyage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func notesOf(v *Voyage) string { return fmt.Sprintf("%+v", v.Notes.List()) }

// TestRemovalsMeet destroys the machines of several ships at the same time after a restart of helm.
func TestRemovalsMeet(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	v := openIt(t, h, helmtest.Voyage(t, h.Hub, fleet.Voyage{}, "true\n"))
	y := helmtest.InYard(t, h.Access)
	var mu gosync.Mutex
	met, all := map[string]bool{}, make(chan struct{})
	y.Destroys = func(name string) {
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
	v.Roster.ChangeAnyway(func(all *fleet.Fleet) {
		for n := range 3 {
			f := hand(n)
			f.Phase = fleet.Going
			all.Ships = append(all.Ships, f)
			if err := h.Machines.Put(machines.Record{ID: machines.IDOf(v.Dir.ID(), f), Voyage: v.Dir.ID()}); err != nil {
				t.Fatal(err)
			}
		}
	})
	v.Fit.Busy.Unlock()
	v.Fit.Resume()
	eventually.Holds(t, "none waits for another", when(v, func() bool { return len(v.Roster.Now().Ships) == 0 }))
}

// TestTaskThatStays removes a ship whose task cannot be taken back: it is listed until that is done.
func TestTaskThatStays(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{}, "true\n", helmtest.Task("1", "true"))
	v := openIt(t, h, d)
	helmtest.InYard(t, h.Access)
	v.Roster.ChangeAnyway(func(all *fleet.Fleet) {
		f := hand(0)
		f.Phase = fleet.Failed
		all.Ships = append(all.Ships, f)
	})
	if _, err := v.Store.Claim(t.Context(), "ship-0", "1"); err != nil {
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
	eventually.Holds(t, "it is taken back", when(v, func() bool { return len(v.Roster.Now().Ships) == 0 }))
	if now := v.Store.Snapshot().Task("1"); now.Status != tasks.Pending || now.Owner != "" {
		t.Errorf("task: %+v", now)
	}
}

// hand returns a ship that is being provisioned.
func hand(n int) *fleet.Ship {
	return &fleet.Ship{Name: fmt.Sprint("ship-", n), Number: n, Provider: "local", Built: 1, Phase: fleet.Provisioning}
}
