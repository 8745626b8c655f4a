package work

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// A task that its ship gives back waits longer each time, and is on hold at last.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		n, tries int
		delay    time.Duration
		hold     bool
	}{{1, 3, 2 * time.Second, false}, {2, 3, 4 * time.Second, false}, {3, 3, 0, true}, {4, 3, 0, true}, {1, 1, 0, true}} {
		if delay, hold := retryAfter(c.n, c.tries); delay != c.delay || hold != c.hold {
			t.Errorf("failed %d times of %d: %s, %t", c.n, c.tries, delay, hold)
		}
	}
}

// What its ship or another task is to blame for does not count against a task.
func TestCountsAsFailure(t *testing.T) {
	var none, clash facts.Refusals
	clash.Clash(time.Now(), "1 2", []string{"a"})
	if !countsAsFailure("", none, "1 2") || !countsAsFailure("", clash, "1 3") || countsAsFailure("", clash, "1 2") || countsAsFailure("no disk", none, "1 2") {
		t.Error("a conflict or trouble of the ship counts, or a failure does not")
	}
}

// A task goes on five times after its agent has taken too many turns.
func TestAfterTurns(t *testing.T) {
	for resumes, want := range map[int]tasks.Requeue{
		0: {GoesOn: true, For: "ship-0", Delay: turnsDelay}, 4: {GoesOn: true, For: "ship-0", Delay: turnsDelay}, 5: {GoesOn: true, Hold: true},
	} {
		got := afterTurns(resumes, 51, 50, "ship-0")
		if !strings.HasPrefix(got.Reason, "max_turns: ") || !strings.Contains(got.Reason, "51 turns of 50") {
			t.Errorf("after %d: %s", resumes, got.Reason)
		}
		if got.Reason = ""; got != want {
			t.Errorf("after %d: %+v", resumes, got)
		}
	}
}

// Work is merged under the claim for which the tree was brought up to date, and no other.
func TestMayMerge(t *testing.T) {
	done, held := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Completed}}, &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.InProgress}}
	for _, c := range []struct {
		t          *tasks.State
		has        rights.Relation
		checkedOut bool
		want       string
	}{
		{held, rights.Holds, true, ""},
		{held, rights.Holds, false, "the tree was not brought up to date for task 1"},
		{held, rights.Held, true, "your claim of task 1 has ended"},
		{done, rights.Held, true, "task 1 is completed"},
	} {
		err := mayMerge(c.t, c.has, c.checkedOut)
		if c.want == "" && err == nil {
			continue
		}
		var no *tasks.Refusal
		if err == nil || c.want == "" || errors.As(err, &no) != (c.t == done) || c.t != done && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %v, %t: %v", c.t.Status, c.has, c.checkedOut, err)
		}
	}
}

// The next owner of a task learns how the claim before ended, unless it goes on with that work.
func TestClaimNotes(t *testing.T) {
	fence := facts.Fence{Ship: "ship-1", Why: "it is gone", Kept: "refs/x"}
	is := func(edit func(*tasks.State)) *tasks.State {
		t := &tasks.State{Task: tasks.Task{ID: "7", Metadata: map[string]any{}}, Attempts: 2}
		t.Reason = "it failed"
		edit(t)
		return t
	}
	for name, c := range map[string]struct {
		t      *tasks.State
		before facts.Fence
		parked string
		want   []string
	}{
		"the first time":      {is(func(t *tasks.State) { t.Attempts = 1 }), facts.Fence{}, "", nil},
		"it was given back":   {is(func(*tasks.State) {}), facts.Fence{}, "", []string{"another ship had the task before: it failed"}},
		"its work came back":  {is(func(t *tasks.State) { t.Draft = "c0ffee" }), facts.Fence{}, "", nil},
		"it was taken back":   {is(func(*tasks.State) {}), fence, "", []string{"task 7 was taken back from ship-1: it is gone; what ship-1 had done is not in your tree, it is kept on the hub, on refs/x"}},
		"it goes on":          {is(func(t *tasks.State) { t.Resumes = 1 }), fence, "", nil},
		"the tree was in use": {is(func(t *tasks.State) { t.Attempts = 1 }), facts.Fence{}, "refs/y", []string{"work in your tree that belonged to no completed task was put aside on refs/y"}},
	} {
		if got := claimNotes(c.t, c.before, c.parked); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A ship learns what became of its own claims, and of no other.
func TestFate(t *testing.T) {
	fence := facts.Fence{Ship: "ship-0", Why: "requeued", Kept: "refs/x"}
	is := func(status tasks.Status) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: "1", Status: status, Owner: "ship-0"}, Epoch: 2}
	}
	for _, c := range []struct {
		t     *tasks.State
		ship  string
		epoch uint64
		f     facts.Fence
		want  proto.Fate
	}{
		{is(tasks.InProgress), "ship-0", 2, facts.Fence{}, proto.Fate{Held: true}},
		{is(tasks.InProgress), "ship-0", 2, fence, proto.Fate{Held: true}}, // helm ended before it ended the claim
		{is(tasks.Completed), "ship-0", 2, facts.Fence{}, proto.Fate{}},
		{is(tasks.InProgress), "ship-0", 1, fence, proto.Fate{Why: "requeued", Kept: "refs/x"}},
		{is(tasks.Pending), "ship-0", 2, fence, proto.Fate{Why: "requeued", Kept: "refs/x"}},
		{is(tasks.InProgress), "ship-1", 2, fence, proto.Fate{}},
		{is(tasks.InProgress), "ship-1", 1, fence, proto.Fate{}},
		{is(tasks.InProgress), "ship-0", 3, facts.Fence{}, proto.Fate{}},
	} {
		if got := fate(c.t, c.ship, c.epoch, c.f); got != c.want {
			t.Errorf("%s, claim %d of %s: %+v", c.t.Status, c.epoch, c.ship, got)
		}
	}
}
