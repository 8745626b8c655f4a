package hubs

import (
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestLeases counts the silence of other hubs, only while this one is in touch with them.
func TestLeases(t *testing.T) {
	begun := time.Now()
	l := Leases{Own: 0, Term: 10 * time.Second}
	for _, step := range []struct {
		at    int // seconds
		heard []uint64
		apart bool
		gone  []int
	}{
		{0, []uint64{1, 1}, false, nil},
		{5, []uint64{1, 2}, false, nil},
		{14, []uint64{1, 2}, false, nil},
		{15, []uint64{1, 2}, false, []int{1}},
		{16, []uint64{1, 3}, false, nil}, // it is back
		{24, []uint64{1, 3, 1}, false, nil},
		{26, []uint64{1, 3, 1}, false, []int{1}},
		{27, []uint64{1, 3, 1}, true, nil},
		{90, []uint64{1, 3, 1}, true, nil},
		{91, []uint64{1, 3, 1}, false, nil}, // the time apart says nothing
		{100, []uint64{1, 3, 2}, false, nil},
		{101, []uint64{1, 3, 2}, false, []int{1}},
		{110, []uint64{1, 3, 2}, false, []int{1, 2}},
	} {
		if gone := l.Look(begun.Add(time.Duration(step.at)*time.Second), step.heard, step.apart); !slices.Equal(gone, step.gone) {
			t.Errorf("after %d s: %v are gone, want %v", step.at, gone, step.gone)
		}
	}
	if l.Term = 0; l.Look(begun.Add(time.Hour), []uint64{1, 3, 2}, false) != nil {
		t.Error("without a term a hub is gone")
	}
}

// TestLeft finds all that a hub leaves behind, and nothing of another's.
func TestLeft(t *testing.T) {
	all := map[string]*tasks.State{
		"works":            {Task: tasks.Task{Status: tasks.InProgress, Owner: "worker-2-0"}, Hub: 1},
		"other's":          {Task: tasks.Task{Status: tasks.InProgress, Owner: "worker-0"}},
		"handed in":        {Task: tasks.Task{Status: tasks.Pending}, Hub: 1, HandIn: &tasks.HandIn{Owner: "worker-2-1", Hub: 1}},
		"other's hand-in":  {Task: tasks.Task{Status: tasks.Pending}, HandIn: &tasks.HandIn{Owner: "worker-0"}},
		"reviewed":         {Task: tasks.Task{Status: tasks.InProgress, Owner: "validator-2-0"}, Hub: 1, HandIn: &tasks.HandIn{Owner: "worker-0"}},
		"taken":            {Task: tasks.Task{Status: tasks.Pending}, HandIn: &tasks.HandIn{Owner: "worker-0", Taken: true, By: 1}},
		"taken from it":    {Task: tasks.Task{Status: tasks.Pending}, Hub: 1, HandIn: &tasks.HandIn{Owner: "worker-2-0", Hub: 1, Taken: true}},
		"approved":         {Task: tasks.Task{Status: tasks.Pending}, Hub: 1, HandIn: &tasks.HandIn{Owner: "worker-2-1", Hub: 1, Review: &tasks.Review{}}},
		"kept":             {Task: tasks.Task{Status: tasks.Pending}, ReservedFor: "worker-2-0"},
		"kept since":       {Task: tasks.Task{Status: tasks.Pending}, Hub: 1, From: "worker-2-9", ReservedFor: "worker-2-9"},
		"other's and kept": {Task: tasks.Task{Status: tasks.Pending}, ReservedFor: "worker-0"},
		"consists":         {Task: tasks.Task{Status: tasks.InProgress, Owner: fleet.Coordinator}, Hub: 1},
		"completed":        {Task: tasks.Task{Status: tasks.Completed, Owner: "worker-2-0"}, Hub: 1},
		"pending":          {Task: tasks.Task{Status: tasks.Pending}, Hub: 1, From: "worker-2-0"},
	}
	var list []*tasks.State
	for id, s := range all {
		s.ID = id
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *tasks.State) int { return tasks.CompareIDs(a.ID, b.ID) })
	var left []string
	for _, s := range Left(tasks.NewSnapshot(1, list, nil), 1) {
		left = append(left, s.ID)
	}
	if want := []string{"approved", "handed in", "kept", "kept since", "reviewed", "taken", "works"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
