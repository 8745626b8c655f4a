package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// What the tests of troubles have in common: a voyage somewhere, tasks that wait for the test,
// and what must hold after each trouble.

// gated is a task that does something after the gate of its ship was opened.
func gated(id, run string) tasks.Task {
	return helmtest.Task(id, "while [ ! -e ~/gate ]; do sleep 0.3; done; "+run)
}

// openGates lets the tasks go on of all ships that have their homes below a directory, whether
// they can be reached or not.
func openGates(t *testing.T, below string) {
	t.Helper()
	found := 0
	_ = filepath.WalkDir(below, func(path string, e os.DirEntry, _ error) error {
		if e == nil || !e.IsDir() || e.Name() != ".ocaptain" {
			return nil
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "gate"), nil, 0o644); err != nil {
			t.Error(err)
		}
		found++
		return filepath.SkipDir
	})
	if found == 0 {
		t.Fatalf("no ship has its home below %s", below)
	}
}

// sets sail with so many ships.
func (v *Voyage) sets(t *testing.T, ships int) {
	t.Helper()
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: ships}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
}

// works waits until the ship holds a task and has its tree, and returns the task.
func (v *Voyage) works(t *testing.T, ship string) *tasks.State {
	t.Helper()
	eventually.Holds(t, ship+" has a task", func() bool {
		s := v.Store.Snapshot().Held(ship)
		return s != nil && v.Records.IsCheckedOut(s)
	})
	return v.Store.Snapshot().Held(ship)
}

// says waits until the board says something of a ship, in its status.
func (v *Voyage) says(t *testing.T, ship string, word fleet.Word, parts ...string) string {
	t.Helper()
	var last fleet.Status
	eventually.Succeeds(t, fmt.Sprintf("%s is %s, with %q", ship, word, parts), func() error {
		for _, s := range v.Board().Ships {
			if s.Name == ship {
				last = s.Status
			}
		}
		if last.Word != word || !contains(last.Reason, parts) {
			return fmt.Errorf("it is %s, %q", last.Word, last.Reason)
		}
		return nil
	})
	return last.Reason
}

// tells waits until the captain was told something.
func (v *Voyage) tells(t *testing.T, parts ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("a note with %q", parts), func() bool {
		for _, n := range v.Board().Notes {
			if contains(n.Text, parts) {
				return true
			}
		}
		return false
	})
}

func contains(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// aftermath checks, when the voyage is complete, that no task was lost or accepted twice. Then
// it is sunk, and nothing may be left of it: not here, and not where left looks.
func aftermath(t *testing.T, h *helm, d fleet.Dir, left func() []string) {
	t.Helper()
	v := openIt(t, h, d)
	accepted(t, v)
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	sunk(t, h, d, left)
}

// accepted waits until the voyage is complete, and checks that each task was done once.
func accepted(t *testing.T, v *Voyage) {
	t.Helper()
	d := v.Dir
	eventually.Holds(t, "complete", v.is(fleet.Complete))
	merges := map[string]int{}
	for id := range strings.Lines(git(t, d, "log", "--format=%(trailers:key="+kind.TrailerTask+",valueonly,separator=)", "--grep="+kind.TrailerTask)) {
		merges[strings.TrimSpace(id)]++
	}
	completions := map[string]int{}
	if _, err := journal.Read(d.Events(), 0, func(r journal.Record) error {
		var c struct {
			Task string `json:"task"`
		}
		if r.Kind == "task.completed" && json.Unmarshal(r.Data, &c) == nil {
			completions[c.Task]++
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Status != tasks.Completed || merges[s.ID] != 1 || completions[s.ID] != 1 {
			t.Errorf("task %s is %s, merged %d times, accepted %d times", s.ID, s.Status, merges[s.ID], completions[s.ID])
		}
	}
}

// sunk checks that a voyage which was sunk left nothing, here and where left looks.
func sunk(t *testing.T, h *helm, d fleet.Dir, left func() []string) {
	t.Helper()
	if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk || len(f.Ships) > 0 {
		t.Errorf("the voyage is %s, with %d ships (%v)", f.Phase, len(f.Ships), err)
	}
	again, err := machines.Of(h.Hub).All()
	if slices.ContainsFunc(again, func(r machines.Record) bool { return r.Voyage == d.ID() && helmtest.IsLeft(r) }) {
		t.Errorf("on record are %+v", again)
	}
	for _, pattern := range []string{d.Secrets(), h.Hub.State + "/*/" + d.ID() + "*"} {
		found, _ := filepath.Glob(pattern)
		found = slices.DeleteFunc(found, func(file string) bool {
			return slices.ContainsFunc(again, func(r machines.Record) bool { return filepath.Base(file) == r.Name+".json" })
		})
		if err != nil || len(found) > 0 {
			t.Errorf("left here: %s, %v", found, err)
		}
	}
	if what := left(); len(what) > 0 {
		t.Errorf("left there: %s", what)
	}
	if v := h.opened(d.ID()); v != nil {
		h.forget(v) // as package voyages does when a voyage is sunk
	}
	eventually.Succeeds(t, "no process is left", func() error {
		if all := proctest.With(d.ID()); len(all) > 0 {
			return errors.New(strings.Join(all, "\n"))
		}
		return nil
	})
}
