package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

// TestReviewed checks who may claim what in a voyage with reviews: validators may claim checked work, in the order of hand-in; workers
// may claim nothing in review, and nothing new while too much waits for review.
func TestReviewed(t *testing.T) {
	now := time.Now()
	handedIn := func(id string, since time.Duration, checked string, review *tasks.Review) *tasks.State {
		return &tasks.State{
			Task: tasks.Task{ID: id, Status: tasks.Pending}, Attempts: 1,
			HandIn: &tasks.HandIn{Owner: "ship-0", At: now.Add(-since), Checked: checked, Review: review},
		}
	}
	all := []*tasks.State{
		handedIn("1", time.Minute, "c", nil), handedIn("2", time.Hour, "c", nil), handedIn("3", 2*time.Hour, "", nil),
		handedIn("4", time.Hour, "c", &tasks.Review{}),
		{Task: tasks.Task{ID: "5", Status: tasks.Pending}},
		{Task: tasks.Task{ID: "6", Status: tasks.Pending, BlockedBy: []string{"1"}}},
		{Task: tasks.Task{ID: "7", Status: tasks.Pending}, Attempts: 1, ReservedFor: "ship-0", Draft: "c"},
	}
	p := Plan{Validators: 1}
	check := func(role, ship, want string) {
		t.Helper()
		view := p.Look(tasks.NewSnapshot(1, all, nil))
		if ids := slices.Collect(view.Ready(kind.Ship{Name: ship, Role: role}, now)); fmt.Sprint(ids) != want {
			t.Errorf("a %s may claim %v, want %s", role, ids, want)
		}
		for _, s := range all {
			free := len(s.BlockedBy) == 0 && (s.ReservedFor == "" || s.ReservedFor == ship) // the store checks this
			ids := slices.Collect(view.Ready(kind.Ship{Name: ship, Role: role}, now))
			if err := view.Allow(kind.Ship{Name: ship, Role: role}, s); free && (err == nil) != slices.Contains(ids, s.ID) {
				t.Errorf("a %s that asks for %s gets %v", role, s.ID, err)
			}
		}
	}
	check(fleet.Validator, "validator-0", "[2 1]")
	p.MaxQueue = 1
	check(fleet.Worker, "ship-0", "[7]")
	p.MaxQueue = 0
	check(fleet.Worker, "ship-0", "[5 7]")
	check(fleet.Worker, "ship-1", "[5]")
	for i := range fleet.MaxQueue {
		all = append(all, handedIn(fmt.Sprint(10+i), time.Second, "", nil))
	}
	check(fleet.Worker, "ship-0", "[7]")
	check(fleet.Worker, "ship-1", "[]")

	for role, want := range map[string]kind.Outcome{fleet.Worker: kind.HandIn, fleet.Validator: -1} {
		if is, err := p.Done(tasks.Snapshot{}, all[4], role); err == nil && is != want || (err != nil) != (want < 0) {
			t.Errorf("when a %s is done: %v, %v", role, is, err)
		}
	}
	var roles []string
	got := ""
	for n := range 3 {
		name, role := p.Crew(n, roles)
		roles, got = append(roles, role), got+name+" "
	}
	if got != "validator-0 ship-0 ship-1 " {
		t.Error(got)
	}
}
