package hubs

import (
	"fmt"
	"testing"

	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/ledger"
)

// TestLanded finds merged work without a recorded completion.
func TestLanded(t *testing.T) {
	merge := func(id, task string, epoch uint64) sync.Commit {
		claim := tasks.ClaimID(task, epoch)
		return sync.Commit{ID: id, Mail: "worker-0@voyage-1", Subject: "add login", Values: map[string]string{kind.TrailerTask: task, kind.TrailerShip: "worker-0", kind.TrailerClaim: claim}}
	}
	revert := sync.Commit{ID: "r", Mail: "captain@voyage-1", Values: map[string]string{kind.TrailerReverts: tasks.ClaimID("1", 1)}}
	stranger := merge("s", "1", 1)
	stranger.Mail = "worker-0@voyage-2"
	other := merge("o", "1", 1)
	other.Subject = "add logout"
	completed := tasks.Event{Kind: ledger.Completed, Task: "1", Epoch: 1}
	for name, c := range map[string]struct {
		history []sync.Commit
		events  []tasks.Event
		want    string
	}{
		"nothing":           {nil, nil, ""},
		"merged":            {[]sync.Commit{merge("a", "2", 1), merge("b", "1", 1)}, nil, "b"},
		"recorded":          {[]sync.Commit{merge("b", "1", 1)}, []tasks.Event{completed}, ""},
		"recorded, another": {[]sync.Commit{merge("c", "1", 2), merge("b", "1", 1)}, []tasks.Event{completed}, "c"},
		"reverted":          {[]sync.Commit{revert, merge("b", "1", 1)}, nil, ""},
		"another session's": {[]sync.Commit{stranger}, nil, ""},
		"another task's":    {[]sync.Commit{other}, nil, ""}, // which had the id before Redis was replaced by an older copy
	} {
		if got := Landed("voyage-1", c.history, &tasks.State{Task: tasks.Task{ID: "1", Subject: "add login"}}, c.events); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestIsCurrent knows the claim and the hand-in that a merge began with.
func TestIsCurrent(t *testing.T) {
	works := func(owner string, epoch uint64) *tasks.State {
		return &tasks.State{Task: tasks.Task{Status: tasks.InProgress, Owner: owner}, Epoch: epoch}
	}
	approved := func(commit string, epoch uint64) *tasks.State {
		return &tasks.State{Task: tasks.Task{Status: tasks.Pending}, HandIn: &tasks.HandIn{Commit: commit, Epoch: epoch, Review: &tasks.Review{}}}
	}
	for i, c := range []struct {
		now, was *tasks.State
		want     bool
	}{
		{works("a", 1), works("a", 1), true},
		{works("a", 2), works("a", 1), false},
		{works("b", 1), works("a", 1), false},
		{&tasks.State{Task: tasks.Task{Status: tasks.Pending}, Epoch: 1}, works("a", 1), false},
		{&tasks.State{Task: tasks.Task{Status: tasks.Completed, Owner: "a"}, Epoch: 1}, works("a", 1), false},
		{nil, works("a", 1), false},
		{approved("x", 1), approved("x", 1), true},
		{approved("y", 1), approved("x", 1), false},
		{works("a", 1), approved("x", 1), false},
	} {
		if got := IsCurrent(c.now, c.was); got != c.want {
			t.Errorf("%s: %v", fmt.Sprint(i), got)
		}
	}
}
