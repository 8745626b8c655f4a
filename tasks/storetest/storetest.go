// Package storetest checks that an implementation of tasks.Store keeps the contract.
package storetest

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// Opener opens the store of one voyage. After Close it must open the store with the same state. It
// ends the test when it fails.
type Opener func(t testing.TB) tasks.Store

// Fresh makes a new voyage whose store has no tasks, and returns its Opener.
type Fresh func(t testing.TB) Opener

// Run checks every rule of the contract. The race at its end is for raceTasks tasks.
func Run(t *testing.T, raceTasks int, fresh Fresh) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, fresh Fresh)
	}{
		{"Add", testAdd},
		{"AddRefused", testAddRefused},
		{"AddAgain", testAddAgain},
		{"AddBlocksOld", testAddBlocksOld},
		{"AddLarge", testAddLarge},
		{"Claim", testClaim},
		{"ClaimRefused", testClaimRefused},
		{"Best", testBest},
		{"Suggestions", testSuggestions},
		{"Complete", testComplete},
		{"Requeue", testRequeue},
		{"Hold", testHold},
		{"Delay", testDelay},
		{"Group", testGroup},
		{"GroupRelease", testGroupRelease},
		{"Reserve", testReserve},
		{"ReserveRefused", testReserveRefused},
		{"Review", testReview},
		{"Empty", testEmpty},
		{"ReviewBack", testReviewBack},
		{"ReviewUnder", testReviewUnder},
		{"GoesOn", testGoesOn},
		{"Cancel", testCancel},
		{"ReserveEnds", testReserveEnds},
		{"Edit", testEdit},
		{"DoneAgain", testDoneAgain},
		{"History", testHistory},
		{"Watch", testWatch},
		{"Reopen", testReopen},
		{"Ended", testEnded},
		{"OneWinner", testOneWinner},
		{"Model", testModel},
		{"Race", func(t *testing.T, fresh Fresh) { Race(t, raceTasks, open(t, fresh)) }},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh) })
	}
}

// open returns a new store with these tasks.
func open(t testing.TB, fresh Fresh, all ...tasks.Task) tasks.Store {
	t.Helper()
	s := fresh(t)(t)
	t.Cleanup(func() { s.Close() })
	if len(all) > 0 {
		add(t, s, all...)
	}
	return s
}

// task returns a task with this id that waits for blockedBy.
func task(id string, blockedBy ...string) tasks.Task {
	return tasks.Task{ID: id, Subject: "task " + id, Status: tasks.Pending, BlockedBy: blockedBy}
}

// with returns t with an entry of metadata added.
func with(t tasks.Task, key string, value any) tasks.Task {
	t = t.Clone()
	if t.Metadata == nil {
		t.Metadata = map[string]any{}
	}
	t.Metadata[key] = value
	return t
}

func add(t testing.TB, s tasks.Store, all ...tasks.Task) []tasks.Task {
	t.Helper()
	added, err := s.Add(t.Context(), all)
	if err != nil {
		t.Fatalf("add: %v", err)
	}
	return added
}

// claim claims id, or the best task, and checks that the store grants want.
func claim(t testing.TB, s tasks.Store, owner, id, want string) tasks.Grant {
	t.Helper()
	g, err := s.Claim(t.Context(), owner, id)
	if err != nil {
		t.Fatalf("%s claims %q: %v", owner, id, err)
	}
	if g.Task.ID != want || g.Task.Owner != owner || g.Task.Status != tasks.InProgress || g.Epoch == 0 {
		t.Fatalf("%s claims %q: got %+v, want task %s in progress for %s", owner, id, g, want, owner)
	}
	return g
}

func complete(t testing.TB, s tasks.Store, g tasks.Grant, commit string) {
	t.Helper()
	if err := s.Complete(t.Context(), done(g, commit)); err != nil {
		t.Fatalf("complete %s: %v", g.Task.ID, err)
	}
}

func done(g tasks.Grant, commit string) tasks.Completion {
	return tasks.Completion{Task: g.Task.ID, Owner: g.Task.Owner, Epoch: g.Epoch, Commit: commit}
}

func requeue(t testing.TB, s tasks.Store, r tasks.Requeue) {
	t.Helper()
	if err := s.Requeue(t.Context(), r); err != nil {
		t.Fatalf("requeue %s: %v", r.Task, err)
	}
}

func reserve(t testing.TB, s tasks.Store, id, owner string) {
	t.Helper()
	if err := s.Reserve(t.Context(), id, owner); err != nil {
		t.Fatalf("reserve %s for %q: %v", id, owner, err)
	}
	if got := s.Snapshot().Task(id).ReservedFor; got != owner {
		t.Fatalf("task %s is reserved for %q, want %q", id, got, owner)
	}
}

// refused checks that err is a refusal for that reason and returns it.
func refused(t testing.TB, err error, why tasks.Why) tasks.Refusal {
	t.Helper()
	no, ok := errors.AsType[*tasks.Refusal](err)
	if !ok || no.Why != why {
		t.Fatalf("got error %v, want a refusal because of %q", err, why)
	}
	return *no
}

// is checks one task's state.
func is(t testing.TB, s tasks.Store, id string, status tasks.Status, owner string) *tasks.State {
	t.Helper()
	state := s.Snapshot().Task(id)
	if state == nil {
		t.Fatalf("task %s is not in the snapshot", id)
	}
	if state.Status != status || state.Owner != owner {
		t.Fatalf("task %s is %s, owner %q; want %s, owner %q", id, state.Status, state.Owner, status, owner)
	}
	return state
}

// order returns the ids of the snapshot in one string.
func order(s tasks.Store) string {
	var ids []string
	for _, t := range s.Snapshot().Tasks {
		ids = append(ids, t.ID)
	}
	return strings.Join(ids, " ")
}
