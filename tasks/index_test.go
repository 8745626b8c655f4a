package tasks

import (
	"fmt"
	"testing"
)

// TestIndex checks Open, Held and Parts of three snapshots: one from NewSnapshot, one from WithTasks, and
// a plain struct without an index.
func TestIndex(t *testing.T) {
	one := func(id string, status Status, owner, parent string) *State {
		return &State{Task: Task{ID: id, Status: status, Owner: owner, Metadata: map[string]any{"parent": parent}}}
	}
	all := []*State{
		one("1", InProgress, "ship-0", ""), one("2", Completed, "ship-1", "1"), one("3", Pending, "", "1"), one("4", InProgress, "ship-0", "2"),
		one("5", Completed, "ship-1", "3"),
	}
	is := func(s Snapshot) string {
		text := fmt.Sprintln(s.Parts(), s.Held("ship-1") == nil, s.Held("ship-0").ID)
		for _, t := range s.Open() {
			text += " " + t.ID
		}
		return text
	}
	first := NewSnapshot(1, all, nil)
	for _, s := range []Snapshot{first, first, {Tasks: all}} {
		if is, want := is(s), "map[1:1 2:1 3:0] true 1\n 1 3 4"; is != want {
			t.Errorf("it knows %s, not %s", is, want)
		}
	}
	next := append([]*State{one("1", Completed, "ship-0", "")}, all[1:]...)
	if is, want := is(first.WithTasks(2, next, nil)), "map[1:1 2:1 3:0] true 4\n 3 4"; is != want {
		t.Errorf("then it knows %s, not %s", is, want)
	}
}
