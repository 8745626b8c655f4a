package voyage

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

// splits has a task split into parts, one a line.
func (v *Voyage) splits(t *testing.T, id, text string) (api.Split, error) {
	t.Helper()
	raw, err := tasks.SplitText(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Captain.Split(t.Context(), api.SplitRequest{Task: id, Tasks: raw})
}

// A task of a plan that a ship works on is split: the ship loses it, no ship gets it again, and it is done when its parts are.
func TestSplit(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	if _, err := v.Store.Claim(t.Context(), "ship-0", "1"); err != nil {
		t.Fatal(err)
	}
	out, err := v.splits(t, "1", "Parse\n> Print")
	if err != nil || out.Ship != "ship-0" || strings.Join(out.Tasks, " ") != "1-1 1-2" {
		t.Fatalf("%+v, %v", out, err)
	}
	whole := v.Store.Snapshot().Task("1")
	if whole.Owner != fleet.Coordinator || whole.Status != tasks.InProgress {
		t.Errorf("the whole: %+v", whole)
	}
	is := kind.Ship{Name: "ship-0", Role: fleet.Worker}
	view := v.Look()
	if err := view.Allow(is, whole); err == nil {
		t.Error("a ship may claim the whole")
	}
	if first := view.First(is, time.Now()); first == "1" || view.Allow(is, v.Store.Snapshot().Task("1-1")) != nil {
		t.Errorf("the first for a ship is %s", first)
	}
	if _, err := v.splits(t, "1", "Again"); err == nil || !strings.Contains(err.Error(), "consists of others already") {
		t.Errorf("split twice: %v", err)
	}
	for _, id := range out.Tasks {
		g, err := v.Store.Claim(t.Context(), "ship-0", id)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Store.Complete(t.Context(), tasks.Completion{Task: id, Owner: "ship-0", Epoch: g.Epoch}); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Captain.Coordinate(); err != nil {
		t.Fatal(err)
	}
	if whole = v.Store.Snapshot().Task("1"); whole.Status != tasks.Completed {
		t.Errorf("the whole, once its parts are done: %+v", whole)
	}
}

// What cannot be split is refused, and stays as it is.
func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	check := "make test"
	v.edits(t, tasks.Edit{Task: "2", Verify: &check})
	for _, tt := range [][3]string{{"9", "A", "no task 9"}, {"1", "", "at least one task"}, {"2", "A\nB", "has a check"}} {
		before := len(v.Store.Snapshot().Tasks)
		if _, err := v.splits(t, tt[0], tt[1]); err == nil || !strings.Contains(err.Error(), tt[2]) {
			t.Errorf("%v: %v", tt, err)
		}
		if len(v.Store.Snapshot().Tasks) != before {
			t.Errorf("%v added tasks", tt)
		}
	}
}
