package kind

import (
	"fmt"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestReadyLooksOnce counts how often it is asked whom a task is for: once for each, however many ships ask then what is ready for them.
func TestReadyLooksOnce(t *testing.T) {
	const many = 1000
	open := make([]*tasks.State, many)
	for i := range open {
		open[i] = &tasks.State{Task: tasks.Task{ID: fmt.Sprint(i + 1), Status: tasks.Pending}}
	}
	asked := 0
	view := NewRoleView(tasks.NewSnapshot(1, open, nil), false, open, func(s *tasks.State) string {
		if asked++; s.ID == "7" {
			return fleet.Validator
		}
		return fleet.Worker
	})
	for i := range 100 {
		ship, now := fmt.Sprint("ship-", i), time.Now()
		first, other := view.First(ship, fleet.Worker, now), view.First(ship, fleet.Validator, now)
		if first != "1" || other != "7" || view.First(ship, fleet.Planner, now) != "" || view.Again(ship, fleet.Worker, now) != time.Hour {
			t.Fatalf("%s is told of %q and %q", ship, first, other)
		}
	}
	if asked != many {
		t.Errorf("it was asked %d times", asked)
	}
}
