package plan

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

var now = time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)

// all returns a snapshot of tasks with the ids 1, 2, …
func all(states ...tasks.State) tasks.Snapshot {
	var list []*tasks.State
	for i := range states {
		states[i].ID = strconv.Itoa(i + 1)
		list = append(list, &states[i])
	}
	return tasks.NewSnapshot(7, list, nil)
}

func pending(with ...func(*tasks.State)) tasks.State {
	t := tasks.State{Task: tasks.Task{Status: tasks.Pending}}
	for _, f := range with {
		f(&t)
	}
	return t
}

func held(ship string) tasks.State {
	return tasks.State{Task: tasks.Task{Status: tasks.InProgress, Owner: ship}}
}

func completed() tasks.State { return tasks.State{Task: tasks.Task{Status: tasks.Completed}} }

func after(ids ...string) func(*tasks.State) {
	return func(t *tasks.State) { t.BlockedBy = ids }
}

func meta(key string, value any) func(*tasks.State) {
	return func(t *tasks.State) { t.Metadata = map[string]any{key: value} }
}

func reserved(ship string) func(*tasks.State) {
	return func(t *tasks.State) { t.ReservedFor = ship }
}

func delayed(wait time.Duration) func(*tasks.State) {
	return func(t *tasks.State) { t.NotBefore = now.Add(wait) }
}

func onHold(t *tasks.State) { t.OnHold = true }

func TestReady(t *testing.T) {
	internal := meta("_internal", true)
	for name, tt := range map[string]struct {
		all   tasks.Snapshot
		ready []string
		again time.Duration
	}{
		"nothing":                {all(), nil, time.Hour},
		"in order":               {all(pending(), pending()), []string{"1", "2"}, time.Hour},
		"the most urgent first":  {all(pending(), pending(meta("priority", 3.0)), pending(meta("priority", 0.0))), []string{"3", "1", "2"}, time.Hour},
		"no other status":        {all(held("ship-0"), held("ship-1"), completed()), nil, time.Hour},
		"a blocker is completed": {all(completed(), pending(after("1"))), []string{"2"}, time.Hour},
		"a blocker is not":       {all(completed(), held("ship-1"), pending(after("1", "2"))), nil, time.Hour},
		"a blocker is unknown":   {all(pending(after("9"))), nil, time.Hour},
		"on hold":                {all(pending(onHold)), nil, time.Hour},
		"hidden from agents":     {all(pending(internal)), nil, time.Hour},
		"kept for it":            {all(pending(reserved("ship-0"))), []string{"1"}, time.Hour},
		"kept for another":       {all(pending(reserved("ship-1"), delayed(time.Second))), nil, time.Hour},
		"a delay is over":        {all(pending(delayed(-time.Second))), []string{"1"}, time.Hour},
		"the shortest delay":     {all(pending(delayed(3*time.Second)), pending(delayed(time.Second)), pending()), []string{"3"}, time.Second},
		"a delay of hours":       {all(pending(delayed(3 * time.Hour))), nil, time.Hour},
	} {
		view := Plan{}.Look(tt.all)
		ready, again := slices.Collect(view.Ready(kind.Ship{Name: "ship-0", Role: "worker"}, now)), view.Again(kind.Ship{Name: "ship-0", Role: "worker"}, now)
		if !slices.Equal(ready, tt.ready) || again != tt.again {
			t.Errorf("%s: %q are ready, more in %s", name, ready, again)
		}
	}
}

func TestHeld(t *testing.T) {
	v := Plan{}.Look(all(completed(), held("ship-0"), held("ship-1"), held("ship-0")))
	if is := v.Held("ship-0"); is == nil || is.ID != "2" || v.Held("ship-2") != nil || v.Seq != 7 {
		t.Errorf("it holds %v", is)
	}
}

func TestIsDone(t *testing.T) {
	for name, tt := range map[string]struct {
		all  tasks.Snapshot
		done bool
	}{
		"no tasks":               {all(), false},
		"all of them":            {all(completed(), completed()), true},
		"one is held":            {all(completed(), held("ship-0")), false},
		"one is pending":         {all(completed(), pending()), false},
		"one is on hold":         {all(completed(), pending(onHold)), false},
		"all but a hidden one":   {all(completed(), pending(meta("_internal", true))), true},
		"none but a hidden one":  {all(pending(meta("_internal", true))), false},
		"hidden ones count none": {all(tasks.State{Task: tasks.Task{Status: tasks.Completed, Metadata: map[string]any{"_internal": true}}}), false},
	} {
		if done := (Plan{}).IsDone(tt.all); done != tt.done || (Plan{}).Look(tt.all).Done != tt.done {
			t.Errorf("%s: done is %t", name, done)
		}
	}
}
