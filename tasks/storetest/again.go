package storetest

import (
	"reflect"
	"testing"

	"ocaptain/tasks"
)

// testDoneAgain reopens a completed task. Dependents that were never claimed wait for it again, completed tasks stay
// completed, and the old claim is stale.
func testDoneAgain(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	add(t, s, task("1"), task("2", "1"), task("3", "1"), task("4"))
	first := claim(t, s, "a", "1", "1")
	complete(t, s, first, "c1")
	complete(t, s, claim(t, s, "a", "2", "2"), "c2")
	if err := s.Cancel(t.Context(), "4", "not wanted"); err != nil {
		t.Fatal(err)
	}
	again := func(task string, epoch uint64) error {
		return s.Reopen(t.Context(), tasks.Reopen{Task: task, Epoch: epoch, Reason: "too slow", By: "captain"})
	}
	refused(t, again("99", 1), tasks.Unknown)
	refused(t, again("4", 0), tasks.Done)
	refused(t, again("1", first.Epoch+1), tasks.Stale)
	for range 2 {
		if err := again("1", first.Epoch); err != nil {
			t.Fatal(err)
		}
	}
	if got := is(t, s, "1", tasks.Pending, ""); got.Commit != "" || got.From != "a" || got.Reason != "too slow" || !got.CompletedAt.IsZero() {
		t.Errorf("task 1 is %+v", got)
	}
	is(t, s, "2", tasks.Completed, "a")
	refused(t, second(s.Claim(t.Context(), "b", "3")), tasks.Blocked)
	refused(t, s.Complete(t.Context(), done(first, "c1")), tasks.Stale)
	before := s.Snapshot().Tasks
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	defer s.Close()
	if got := s.Snapshot().Tasks; !reflect.DeepEqual(got, before) {
		t.Errorf("opened again it has\n%v, before it had\n%v", got, before)
	}
	next := claim(t, s, "b", "", "1")
	if next.Epoch <= first.Epoch {
		t.Errorf("epoch %d follows %d", next.Epoch, first.Epoch)
	}
	complete(t, s, next, "c3")
	claim(t, s, "b", "", "3")
}
