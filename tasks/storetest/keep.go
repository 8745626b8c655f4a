package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func testHistory(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	add(t, s, task("1"), task("2"))
	reserve(t, s, "1", "b")
	reserve(t, s, "1", "b")
	reserve(t, s, "1", "")
	first := claim(t, s, "a", "1", "1")
	claim(t, s, "a", "1", "1")
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: first.Epoch, Reason: "it died"})
	next := claim(t, s, "b", "1", "1")
	refused(t, s.Complete(t.Context(), done(first, "")), tasks.Stale)
	complete(t, s, next, "c1")
	complete(t, s, next, "c1")

	want := []string{
		"added 1  0  ",
		"reserved 1 b 0  ",
		"reserved 1  0  ",
		"claimed 1 a 1  ",
		"requeued 1 a 1  it died",
		"claimed 1 b 2  ",
		"completed 1 b 2 c1 ",
	}
	check := func(s tasks.Store) {
		t.Helper()
		events, err := s.History(t.Context(), "1")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		last := time.Time{}
		for _, e := range events {
			got = append(got, fmt.Sprintf("%s %s %s %d %s %s", e.Kind, e.Task, e.Owner, e.Epoch, e.Commit, e.Reason))
			if e.At.Before(last) || time.Since(e.At) > time.Minute {
				t.Errorf("event %v happened at %v, after one at %v", e, e.At, last)
			}
			last = e.At
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("history is %q, want %q", got, want)
		}
	}
	check(s)
	_, err := s.History(t.Context(), "99")
	refused(t, err, tasks.Unknown)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	defer s.Close()
	check(s)
}

func testWatch(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch := s.Watch(ctx)
	if first := <-watch; len(first.Tasks) != 2 {
		t.Fatalf("the first snapshot has %d tasks", len(first.Tasks))
	}
	// A slow reader soon gets the last state, but not every state in between.
	g := claim(t, s, "a", "1", "1")
	for range 200 {
		requeue(t, s, tasks.Requeue{Task: "1"})
		g = claim(t, s, "a", "1", "1")
	}
	complete(t, s, g, "")
	var seq uint64
	read := 0
	deadline := eventually.Context(t).Done()
	for finished := false; !finished; {
		select {
		case snapshot := <-watch:
			if snapshot.Seq <= seq {
				t.Errorf("change %d came after %d", snapshot.Seq, seq)
			}
			seq = snapshot.Seq
			read++
			finished = snapshot.Task("1").Status == tasks.Completed
		case <-deadline:
			t.Fatal("the last state never came")
		}
	}
	if read > 50 {
		t.Errorf("a slow reader got %d snapshots", read)
	}
	cancel()
	closes(t, watch)
	other := s.Watch(t.Context())
	<-other
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	closes(t, other)
}

// closes checks that a channel is closed soon.
func closes(t *testing.T, watch <-chan tasks.Snapshot) {
	t.Helper()
	deadline := eventually.Context(t).Done()
	for {
		select {
		case _, ok := <-watch:
			if !ok {
				return
			}
		case <-deadline:
			t.Fatal("the channel was not closed")
		}
	}
}

func testReopen(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	add(t, s, with(task("1"), "run", "make"), task("2", "1"), grouped("g", task("3")), grouped("g", task("4")), task("5"), task("6"), task("7"), task("8"))
	reserve(t, s, "8", "d")
	complete(t, s, claim(t, s, "a", "1", "1"), "c1")
	claim(t, s, "a", "2", "2")
	claim(t, s, "b", "3", "3")
	claim(t, s, "c", "5", "5")
	requeue(t, s, tasks.Requeue{Task: "5", Reason: "it died", Delay: time.Hour})
	requeue(t, s, tasks.Requeue{Task: "7", Hold: true, Reason: "it failed"})
	before := s.Snapshot()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	defer s.Close()
	after := s.Snapshot()
	if a, b := text(t, after.Tasks), text(t, before.Tasks); a != b {
		t.Errorf("after reopening the tasks are\n%s\nthey were\n%s", a, b)
	}
	if len(after.Problems) > 0 {
		t.Errorf("problems: %v", after.Problems)
	}
	// The reopened store still applies the rules.
	refused(t, second(s.Claim(t.Context(), "x", "2")), tasks.Taken)
	refused(t, second(s.Claim(t.Context(), "x", "4")), tasks.Taken)
	refused(t, second(s.Claim(t.Context(), "x", "8")), tasks.Taken)
	refused(t, second(s.Claim(t.Context(), "x", "5")), tasks.Delayed)
	refused(t, second(s.Claim(t.Context(), "x", "7")), tasks.OnHold)
	if g := claim(t, s, "a", "", "2"); g.Epoch != before.Task("2").Epoch {
		t.Errorf("the claim on 2 has epoch %d, it was %d", g.Epoch, before.Task("2").Epoch)
	}
	claim(t, s, "b", "4", "4")
	claim(t, s, "d", "", "8")
	if got := add(t, s, task("")); got[0].ID != "9" {
		t.Errorf("the next id is %s, want 9", got[0].ID)
	}
}

func text(t *testing.T, states []*tasks.State) string {
	t.Helper()
	data, err := json.MarshalIndent(states, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func testEnded(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Claim(ended, "a", "1"); err == nil {
		t.Error("claimed although the context had ended")
	}
	is(t, s, "1", tasks.Pending, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(t.Context(), "a", "1"); err == nil {
		t.Error("claimed from a closed store")
	}
	s.Close() // must not hang or panic
}
