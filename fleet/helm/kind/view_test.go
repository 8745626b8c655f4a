package kind

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestReadyLooksOnce checks that the role of each task is computed once, however many ships ask what is ready for them.
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
		first, other := view.First(Ship{Name: ship, Role: fleet.Worker}, now), view.First(Ship{Name: ship, Role: fleet.Validator}, now)
		if first != "1" || other != "7" || view.First(Ship{Name: ship, Role: fleet.Planner}, now) != "" || view.Again(Ship{Name: ship, Role: fleet.Worker}, now) != time.Hour {
			t.Fatalf("%s is told of %q and %q", ship, first, other)
		}
	}
	if asked != many {
		t.Errorf("it was asked %d times", asked)
	}
}

// If the captain restricts a task to a ship or an agent, no other ship is offered it or may claim it. Any validator may
// review it.
func TestChosen(t *testing.T) {
	task := func(id, worker, agent string, more func(*tasks.State)) *tasks.State {
		s := &tasks.State{Task: tasks.Task{ID: id, Status: tasks.Pending, Metadata: map[string]any{"only_ship": worker, "only_agent": agent}}}
		if more != nil {
			more(s)
		}
		return s
	}
	all := []*tasks.State{
		task("1", "ship-1", "", nil), task("2", "", "codex", nil), task("3", "", "", nil),
		task("4", "", "", func(s *tasks.State) { s.ReservedFor = "ship-1" }),
		task("5", "ship-1", "", func(s *tasks.State) { s.HandIn = &tasks.HandIn{} }),
	}
	now := time.Now()
	view := NewView(tasks.NewSnapshot(1, all, nil), false, all)
	for _, tt := range []struct {
		ship        Ship
		ready, best string
	}{
		{Ship{Name: "ship-0", Agent: "claude"}, "[3 5]", "3"},
		{Ship{Name: "ship-1", Agent: "claude"}, "[1 3 4 5]", "4"},
		{Ship{Name: "ship-2", Agent: "codex"}, "[2 3 5]", "2"},
	} {
		ready := slices.Collect(view.Ready(tt.ship, now))
		best, err := view.Best(tt.ship, now)
		no := &tasks.Refusal{Ready: []string{"1", "2"}}
		view.Suggest(no, tt.ship, now)
		if fmt.Sprint(ready) != tt.ready || best != tt.best || err != nil || !slices.Equal(no.Ready, ready) {
			t.Errorf("%+v: ready %v, best %s, suggested %v: %v", tt.ship, ready, best, no.Ready, err)
		}
		for _, s := range all[:3] {
			if err := view.Allow(tt.ship, s); (err == nil) != slices.Contains(ready, s.ID) || view.IsFor(tt.ship, s) != (err == nil) {
				t.Errorf("%+v, task %s: %v", tt.ship, s.ID, err)
			}
		}
	}
}
