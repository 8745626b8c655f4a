package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func testReserve(t *testing.T, fresh Fresh) {
	s := open(t, fresh, with(task("1"), "priority", 0.0), task("2"), task("3", "2"), with(task("4"), "priority", 9.0))
	reserve(t, s, "2", "a")
	reserve(t, s, "3", "a")
	reserve(t, s, "4", "a")
	seq := s.Snapshot().Seq
	reserve(t, s, "2", "a")
	reserve(t, s, "1", "")
	if got := s.Snapshot().Seq; got != seq {
		t.Errorf("what was so already made change %d after %d", got, seq)
	}
	for _, id := range []string{"2", "3", "4"} { // task 4 can be reserved although it waits for blockers
		if no := refused(t, second(s.Claim(t.Context(), "b", id)), tasks.Taken); no.Owner != "a" || fmt.Sprint(no.Ready) != "[1]" {
			t.Errorf("refusal is %+v, want owner a, and 1 ready", no)
		}
	}
	claim(t, s, "b", "", "1")
	refused(t, second(s.Claim(t.Context(), "c", "")), tasks.NothingReady)

	// The owner gets its reserved task first, however urgent other tasks are.
	add(t, s, with(task("5"), "priority", 0.0))
	refused(t, second(s.Claim(t.Context(), "a", "3")), tasks.Blocked)
	complete(t, s, claim(t, s, "a", "", "2"), "")
	complete(t, s, claim(t, s, "a", "", "3"), "")
	reserve(t, s, "4", "c") // from one owner straight to another
	complete(t, s, claim(t, s, "a", "", "5"), "")
	refused(t, second(s.Claim(t.Context(), "a", "4")), tasks.Taken)
	reserve(t, s, "4", "")
	claim(t, s, "a", "", "4")
}

func testReserveRefused(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2"), grouped("g", task("3")))
	ctx := t.Context()
	refused(t, s.Reserve(ctx, "99", "a"), tasks.Unknown)
	g := claim(t, s, "a", "1", "1")
	for _, owner := range []string{"a", "b", ""} {
		if no := refused(t, s.Reserve(ctx, "1", owner), tasks.Taken); no.Owner != "a" {
			t.Errorf("refusal is %+v", no)
		}
	}
	complete(t, s, g, "")
	if no := refused(t, s.Reserve(ctx, "1", "b"), tasks.Done); no.Owner != "a" {
		t.Errorf("refusal is %+v", no)
	}
	if err := s.Reserve(ctx, "3", "a"); err == nil || !strings.Contains(err.Error(), `group "g"`) {
		t.Errorf("reserving a task of a group got %v", err)
	}
	if err := s.Reserve(ctx, "2", strings.Repeat("x", 1000)); err == nil {
		t.Error("reserved for an owner with 1000 letters")
	}
	for _, id := range []string{"1", "2", "3"} {
		if got := s.Snapshot().Task(id).ReservedFor; got != "" {
			t.Errorf("task %s is reserved for %q", id, got)
		}
	}
}

// testReserveEnds checks what ends a reservation and what does not.
func testReserveEnds(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"))
	ctx := t.Context()
	reserve(t, s, "1", "a")
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Owner: "b"}), tasks.Stale)
	refused(t, second(s.Claim(ctx, "b", "1")), tasks.Taken)
	g := claim(t, s, "a", "1", "1")
	if got := s.Snapshot().Task("1").ReservedFor; got != "" {
		t.Errorf("a claimed task is reserved for %q", got)
	}
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: g.Epoch})
	complete(t, s, claim(t, s, "b", "", "1"), "") // no longer reserved for a

	add(t, s, task("2"))
	reserve(t, s, "2", "a")
	requeue(t, s, tasks.Requeue{Task: "2", Owner: "a"})
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "2", Owner: "a"}), tasks.Stale)
	reserve(t, s, "2", "a")
	requeue(t, s, tasks.Requeue{Task: "2", Hold: true})
	if got := is(t, s, "2", tasks.Pending, "").ReservedFor; got != "" {
		t.Errorf("a requeued task is reserved for %q", got)
	}
	reserve(t, s, "2", "a") // tasks on hold and delayed tasks can be reserved
	refused(t, second(s.Claim(ctx, "b", "2")), tasks.Taken)
	refused(t, second(s.Claim(ctx, "a", "2")), tasks.OnHold)
	requeue(t, s, tasks.Requeue{Task: "2", Delay: time.Millisecond})
	reserve(t, s, "2", "a")
	for wait := eventually.Context(t); ; {
		if _, err := s.Claim(ctx, "a", ""); err == nil {
			break
		} else if refused(t, err, tasks.NothingReady); wait.Err() != nil {
			t.Fatal("the delay never ended")
		}
		refused(t, second(s.Claim(ctx, "b", "")), tasks.NothingReady)
	}
}
