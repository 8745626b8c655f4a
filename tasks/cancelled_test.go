package tasks

import (
	"fmt"
	"testing"
)

// BenchmarkCancelledWith cancels the first task of a chain of 10,000, which cancels all of them.
func BenchmarkCancelledWith(b *testing.B) {
	all := make([]*State, 10_000)
	for i := range all {
		all[i] = &State{Task: Task{ID: fmt.Sprint(i), Status: Pending, BlockedBy: []string{fmt.Sprint(i - 1)}}}
	}
	for b.Loop() {
		if with := CancelledWith(all, "0"); len(with) != len(all) {
			b.Fatal(len(with))
		}
	}
}

func TestCancelledWith(t *testing.T) {
	one := func(id string, status Status, parent string, blockedBy ...string) *State {
		return &State{Task: Task{ID: id, Status: status, BlockedBy: blockedBy, Metadata: map[string]any{"parent": parent}}}
	}
	all := []*State{
		one("1", InProgress, ""), one("1-1", Pending, "1"), one("1-2", Pending, "1", "1-1"), one("1-3", Completed, "1"),
		one("2", Pending, "", "1"), one("3", Pending, "", "1-2", "1-2", "1-1"), one("4", Completed, "", "1"), one("5", Pending, ""),
		one("6", Pending, "5", "7"), one("7", Pending, "", "6"),
	}
	for id, want := range map[string]string{
		"1": "[2 1 3 1-2 1-1]", "1-1": "[3 1-2 1-1]", "1-3": "[]", "4": "[]", "5": "[5 7 6]", "6": "[7 6]", "8": "[]",
	} {
		if is := CancelledWith(all, id); fmt.Sprint(is) != want {
			t.Errorf("with %s go %v, want %s", id, is, want)
		}
	}
}
