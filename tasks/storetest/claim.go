package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func testClaim(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2"), task("3", "1"))
	g := claim(t, s, "a", "1", "1")
	state := is(t, s, "1", tasks.InProgress, "a")
	if state.Epoch != g.Epoch || state.Attempts != 1 || time.Since(state.ClaimedAt) > time.Minute {
		t.Errorf("state after the claim is %+v", state)
	}
	if again := claim(t, s, "a", "1", "1"); !reflect.DeepEqual(again, g) {
		t.Errorf("claiming again gave %+v, first was %+v", again, g)
	}
	if again := claim(t, s, "a", "", "1"); !reflect.DeepEqual(again, g) {
		t.Errorf("claiming anything again gave %+v, held was %+v", again, g)
	}
	if got := s.Snapshot().Task("1"); got.Attempts != 1 {
		t.Errorf("claiming again counted as %d attempts", got.Attempts)
	}
	two := claim(t, s, "a", "2", "2")
	if again := claim(t, s, "a", "", "2"); !reflect.DeepEqual(again, two) {
		t.Errorf("claiming anything while holding two gave %+v, want the latest", again)
	}
	complete(t, s, two, "")
	claim(t, s, "a", "", "1")
	g.Task.Metadata = map[string]any{"x": 1} // the caller may change a granted task
	g.Task.BlockedBy = append(g.Task.BlockedBy, "2")
	if got := s.Snapshot().Task("1"); len(got.Metadata)+len(got.BlockedBy) > 0 {
		t.Error("changing a grant changed the store")
	}
}

func testClaimRefused(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"), task("3", "1", "2"), task("4"))
	refused(t, second(s.Claim(t.Context(), "a", "99")), tasks.Unknown)
	for _, owner := range []string{"", strings.Repeat("x", 1000)} {
		if _, err := s.Claim(t.Context(), owner, "1"); err == nil {
			t.Errorf("an owner with %d letters claimed", len(owner))
		}
	}
	if no := refused(t, second(s.Claim(t.Context(), "a", "3")), tasks.Blocked); fmt.Sprint(no.Open) != "[1 2]" {
		t.Errorf("task 3 waits for %v, want 1 and 2", no.Open)
	}
	g := claim(t, s, "a", "1", "1")
	no := refused(t, second(s.Claim(t.Context(), "b", "1")), tasks.Taken)
	if no.Owner != "a" || fmt.Sprint(no.Ready) != "[4]" {
		t.Errorf("refusal is %+v, want owner a and 4 ready", no)
	}
	complete(t, s, g, "")
	if no := refused(t, second(s.Claim(t.Context(), "a", "1")), tasks.Done); no.Owner != "a" || fmt.Sprint(no.Ready) != "[2 4]" {
		t.Errorf("refusal is %+v, want owner a, and 2 and 4 ready", no)
	}
	refused(t, second(s.Claim(t.Context(), "b", "1")), tasks.Done)
	claim(t, s, "a", "2", "2")
	claim(t, s, "b", "4", "4")
	refused(t, second(s.Claim(t.Context(), "c", "")), tasks.NothingReady)
}

func testBest(t *testing.T, fresh Fresh) {
	s := open(t, fresh,
		with(task("1"), "priority", 4.0),
		task("10"), task("9"), // equal except for the id
		task("20"), task("21", "20"), // task 21 waits for 20
		task("30"), task("31"), task("32", "30", "31"), task("33", "32"), task("34", "33"), // the longest chain waits for 30 and 31
		with(task("40"), "priority", 0.0),
		task("41"), with(task("42", "41"), "priority", 1.0), // urgent, but not ready
		task("word"),
	)
	for i, want := range strings.Fields("40 30 31 20 41 9 10 word 1") {
		claim(t, s, fmt.Sprint("ship-", i), "", want)
	}
	refused(t, second(s.Claim(t.Context(), "late", "")), tasks.NothingReady)
	complete(t, s, claim(t, s, "ship-4", "41", "41"), "")
	claim(t, s, "late", "", "42")

	// A task becomes more urgent when the chain behind it grows.
	s = open(t, fresh, task("1"), task("2"), task("3", "1"))
	add(t, s, task("4", "2"), task("5", "4"))
	claim(t, s, "a", "", "2")
	claim(t, s, "b", "", "1")
}

func testSuggestions(t *testing.T, fresh Fresh) {
	all := []tasks.Task{task("taken")}
	for i := range 15 {
		all = append(all, task(fmt.Sprint(i+1)))
	}
	s := open(t, fresh, all...)
	claim(t, s, "a", "taken", "taken")
	no := refused(t, second(s.Claim(t.Context(), "b", "taken")), tasks.Taken)
	if got := strings.Join(no.Ready, " "); got != "1 2 3 4 5 6 7 8 9 10" {
		t.Errorf("ready are %q, want the ten best", got)
	}
}

func testComplete(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"))
	ctx := t.Context()
	refused(t, s.Complete(ctx, tasks.Completion{Task: "99", Owner: "a", Epoch: 1}), tasks.Unknown)
	refused(t, s.Complete(ctx, tasks.Completion{Task: "1", Owner: "", Epoch: 0}), tasks.Stale)
	g := claim(t, s, "a", "1", "1")
	for _, wrong := range []tasks.Completion{
		{Task: "1", Owner: "b", Epoch: g.Epoch},
		{Task: "1", Owner: "a", Epoch: g.Epoch + 1},
		{Task: "1", Owner: "a", Epoch: 0},
	} {
		if no := refused(t, s.Complete(ctx, wrong), tasks.Stale); no.Owner != "a" {
			t.Errorf("refusal %+v does not say who holds the task", no)
		}
	}
	complete(t, s, g, "c1")
	state := is(t, s, "1", tasks.Completed, "a")
	if state.Commit != "c1" || state.CompletedAt.IsZero() {
		t.Errorf("state after completion is %+v", state)
	}
	complete(t, s, g, "c1") // repeated, as if the answer had been lost
	if got := s.Snapshot().Task("1"); !reflect.DeepEqual(got, state) {
		t.Errorf("the same completion again changed %+v to %+v", state, got)
	}
	refused(t, s.Complete(ctx, done(g, "c2")), tasks.Done)
	refused(t, s.Complete(ctx, tasks.Completion{Task: "1", Owner: "b", Epoch: g.Epoch, Commit: "c1"}), tasks.Done)
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1"}), tasks.Done)
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Epoch: g.Epoch}), tasks.Done)
	is(t, s, "1", tasks.Completed, "a")
	claim(t, s, "b", "", "2")
}

func testRequeue(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2"))
	ctx := t.Context()
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "99"}), tasks.Unknown)
	first := claim(t, s, "a", "1", "1")
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Epoch: first.Epoch + 1}), tasks.Stale)
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Owner: "b"}), tasks.Stale)
	is(t, s, "1", tasks.InProgress, "a")
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: first.Epoch, Reason: "machine died"})
	if state := is(t, s, "1", tasks.Pending, ""); state.Reason != "machine died" || state.From != "a" {
		t.Errorf("state after the requeue is %+v", state)
	}
	refused(t, s.Complete(ctx, done(first, "late")), tasks.Stale)
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Epoch: first.Epoch}), tasks.Stale)

	// The next claim is a new claim, even by the same owner, and continues the session.
	next := claim(t, s, "a", "1", "1")
	if next.Epoch <= first.Epoch {
		t.Errorf("claim after the requeue is %+v, want a greater epoch than %d and session s1", next, first.Epoch)
	}
	refused(t, s.Complete(ctx, done(first, "late")), tasks.Stale)
	if got := s.Snapshot().Task("1"); got.Attempts != 2 {
		t.Errorf("two claims counted as %d attempts", got.Attempts)
	}
	// Without an epoch, a requeue ends any claim.
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Owner: "b"}), tasks.Stale)
	requeue(t, s, tasks.Requeue{Task: "1", Owner: "a", Reason: "captain"})
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1", Owner: "a"}), tasks.Stale)
	requeue(t, s, tasks.Requeue{Task: "1", Reason: "captain again"})
	if state := is(t, s, "1", tasks.Pending, ""); state.Reason != "captain again" {
		t.Errorf("state after requeueing a pending task is %+v", state)
	}
	claim(t, s, "a", "", "1")
}

// testHold puts a task on hold: no owner gets it, however much time passes, until a requeue without Hold.
func testHold(t *testing.T, fresh Fresh) {
	s := open(t, fresh, grouped("g", task("1")), task("2", "1"), grouped("g", task("3")))
	claim(t, s, "a", "1", "1")
	requeue(t, s, tasks.Requeue{Task: "1", Hold: true, Reason: "it failed"})
	for _, owner := range []string{"a", "b"} {
		no := refused(t, second(s.Claim(t.Context(), owner, "1")), tasks.OnHold)
		if no.Cause != "it failed" || fmt.Sprint(no.Ready) != "[3]" {
			t.Errorf("refusal is %+v", no)
		}
	}
	refused(t, second(s.Claim(t.Context(), "a", "2")), tasks.Blocked)
	if state := is(t, s, "1", tasks.Pending, ""); !state.OnHold || state.RequeuedAt.IsZero() || state.ReservedFor != "" {
		t.Errorf("state is %+v", state)
	}
	claim(t, s, "b", "", "3") // the rest of the group is reserved, except tasks on hold
	refused(t, second(s.Claim(t.Context(), "b", "1")), tasks.OnHold)
	requeue(t, s, tasks.Requeue{Task: "1", Hold: true, Reason: "still"})
	requeue(t, s, tasks.Requeue{Task: "1"})
	if state := s.Snapshot().Task("1"); state.OnHold {
		t.Errorf("state is %+v", state)
	}
	refused(t, second(s.Claim(t.Context(), "a", "1")), tasks.Taken)
	claim(t, s, "b", "1", "1")
}

func testDelay(t *testing.T, fresh Fresh) {
	s := open(t, fresh, with(task("1"), "priority", 0.0), task("2"))
	claim(t, s, "a", "1", "1")
	requeue(t, s, tasks.Requeue{Task: "1", Delay: time.Hour})
	no := refused(t, second(s.Claim(t.Context(), "a", "1")), tasks.Delayed)
	if left := time.Until(no.Until); left < 50*time.Minute || left > time.Hour {
		t.Errorf("the delay ends in %v, want an hour", left)
	}
	if fmt.Sprint(no.Ready) != "[2]" || !s.Snapshot().Task("1").NotBefore.Equal(no.Until) {
		t.Errorf("refusal is %+v, state %+v", no, s.Snapshot().Task("1"))
	}
	claim(t, s, "b", "", "2")
	refused(t, second(s.Claim(t.Context(), "a", "")), tasks.NothingReady)

	const delay = 50 * time.Millisecond
	start := time.Now()
	requeue(t, s, tasks.Requeue{Task: "1", Delay: delay})
	wait := eventually.Context(t)
	for {
		if g, err := s.Claim(t.Context(), "a", ""); err == nil {
			if g.Task.ID != "1" || time.Since(start) < delay {
				t.Errorf("got %s after %v", g.Task.ID, time.Since(start))
			}
			break
		} else if refused(t, err, tasks.NothingReady); wait.Err() != nil {
			t.Fatal("the delay never ended")
		}
	}
	if state := s.Snapshot().Task("1"); !state.NotBefore.IsZero() {
		t.Errorf("a claimed task is not to be claimed before %v", state.NotBefore)
	}
	requeue(t, s, tasks.Requeue{Task: "1", Delay: time.Hour})
	requeue(t, s, tasks.Requeue{Task: "1"}) // without the delay
	claim(t, s, "a", "", "1")
}
