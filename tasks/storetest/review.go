package storetest

import (
	"reflect"
	"slices"
	"testing"

	"ocaptain/tasks"
)

func handIn(t testing.TB, s tasks.Store, g tasks.Grant, commit string) {
	t.Helper()
	if err := s.HandIn(t.Context(), done(g, commit), "what was done"); err != nil {
		t.Fatalf("hand in %s: %v", g.Task.ID, err)
	}
	state := is(t, s, g.Task.ID, tasks.Pending, "")
	if h := state.HandIn; !state.InReview() || state.Approved() || h.Owner != g.Task.Owner || h.Epoch != g.Epoch || h.Commit != commit || h.Summary != "what was done" || h.At.IsZero() {
		t.Fatalf("%s was handed in as %+v", g.Task.ID, h)
	}
}

func claimReview(t testing.TB, s tasks.Store, owner, id string) tasks.Grant {
	t.Helper()
	g, err := s.ClaimReview(t.Context(), owner, id)
	if state := is(t, s, id, tasks.InProgress, owner); err != nil || !state.InReview() || g.Task.ID != id || g.Epoch != state.Epoch {
		t.Fatalf("%s claims the review of %s: %+v, %v", owner, id, g, err)
	}
	return g
}

func approve(t testing.TB, s tasks.Store, g tasks.Grant) {
	t.Helper()
	if err := s.Approve(t.Context(), g.Task.ID, g.Task.Owner, g.Epoch, tasks.Review{Approved: true, Reasoning: "it is good"}); err != nil {
		t.Fatalf("approve %s: %v", g.Task.ID, err)
	}
	if state := is(t, s, g.Task.ID, tasks.Pending, ""); !state.Approved() || state.HandIn.Review.Reasoning != "it is good" {
		t.Fatalf("%s was approved as %+v", g.Task.ID, state.HandIn)
	}
}

// testEmpty hands in and completes work that changes nothing.
func testEmpty(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2"))
	work := claim(t, s, "w", "1", "1")
	empty := done(work, "c1")
	empty.Empty = true
	if err := s.HandIn(t.Context(), empty, ""); err != nil || !s.Snapshot().Task("1").HandIn.Empty {
		t.Errorf("handed in: %v, %+v", err, s.Snapshot().Task("1"))
	}
	work = claim(t, s, "w", "2", "2")
	empty = done(work, "")
	empty.Empty = true
	if err := s.Complete(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	if state := is(t, s, "2", tasks.Completed, "w"); !state.Empty || state.Commit != "" {
		t.Errorf("completed: %+v", state)
	}
}

// testReview takes work from its owner to a reviewer, and completes it under the owner's claim.
func testReview(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"))
	ctx := t.Context()
	work := claim(t, s, "w", "1", "1")
	refused(t, s.Approve(ctx, "1", "w", work.Epoch, tasks.Review{Approved: true}), tasks.Stale)
	refused(t, s.Checked(ctx, "1", "c1", "c2", true), tasks.Stale)
	refused(t, s.HandIn(ctx, tasks.Completion{Task: "1", Owner: "x", Epoch: work.Epoch, Commit: "c1"}, ""), tasks.Stale)
	handIn(t, s, work, "c1")
	handIn(t, s, work, "c1") // repeated
	refused(t, s.HandIn(ctx, done(work, "other"), ""), tasks.Stale)
	refused(t, s.Complete(ctx, done(work, "c3")), tasks.Stale)
	refused(t, second(s.Claim(ctx, "w", "2")), tasks.Blocked)

	refused(t, s.Checked(ctx, "1", "other", "c2", true), tasks.Stale)
	if err := s.Checked(ctx, "1", "c1", "c2", true); err != nil || s.Snapshot().Task("1").HandIn.Checked != "c2" || !s.Snapshot().Task("1").HandIn.Passed {
		t.Fatal(err)
	}
	for _, id := range []string{"1", ""} { // Claim must refuse too: by its id, and as the best task
		if _, err := s.Claim(ctx, "x", id); err == nil {
			t.Errorf("a claim of %q gives the review", id)
		}
	}
	refused(t, second(s.ClaimReview(ctx, "v", "2")), tasks.Blocked)
	review := claimReview(t, s, "v", "1")
	if review.Epoch <= work.Epoch {
		t.Errorf("epoch %d follows %d", review.Epoch, work.Epoch)
	}
	refused(t, s.Checked(ctx, "1", "c1", "c4", true), tasks.Stale)
	refused(t, s.Complete(ctx, done(review, "c3")), tasks.Stale)
	refused(t, s.HandIn(ctx, done(review, "c3"), ""), tasks.Stale)
	refused(t, s.Approve(ctx, "1", "w", work.Epoch, tasks.Review{Approved: true}), tasks.Stale)

	// The reviewer is lost; another reviewer approves.
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: review.Epoch})
	if state := is(t, s, "1", tasks.Pending, ""); !state.InReview() || state.HandIn.Checked != "c2" {
		t.Errorf("what was handed in is %+v", state.HandIn)
	}
	again := claimReview(t, s, "v2", "1")
	refused(t, s.Approve(ctx, "1", "v", review.Epoch, tasks.Review{Approved: true}), tasks.Stale)
	approve(t, s, again)
	refused(t, second(s.Claim(ctx, "v2", "1")), tasks.Taken)
	refused(t, second(s.Claim(ctx, "v2", "")), tasks.NothingReady)
	refused(t, s.Complete(ctx, done(again, "c3")), tasks.Stale)

	complete(t, s, work, "c3")
	complete(t, s, work, "c3")
	if state := is(t, s, "1", tasks.Completed, "w"); state.Commit != "c3" || state.InReview() || state.HandIn.Review == nil || state.ClaimedAt.IsZero() {
		t.Errorf("it is %+v", state)
	}
	claim(t, s, "w", "", "2")
}

// testReviewBack rejects work: it returns to its owner, who continues from there. The state survives a
// restart of the store.
func testReviewBack(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	defer func() { s.Close() }()
	add(t, s, task("1"), task("2"), grouped("g", task("3")), grouped("g", task("4")), grouped("g", task("5", "3")))
	handIn(t, s, claim(t, s, "w", "1", "1"), "c1")
	review := claimReview(t, s, "v", "1")
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: review.Epoch, Reason: "no test", Back: "c1", For: "w", Rejected: true})
	if state := is(t, s, "1", tasks.Pending, ""); state.InReview() || state.Draft != "c1" || state.Rejections != 1 || state.ReservedFor != "w" || state.Reason != "no test" {
		t.Errorf("what came back is %+v", state)
	}
	claim(t, s, "x", "2", "2")
	refused(t, s.Requeue(t.Context(), tasks.Requeue{Task: "2", Back: "c1"}), tasks.Stale)
	work := claim(t, s, "w", "", "1")
	if state := s.Snapshot().Task("1"); state.Draft != "c1" {
		t.Errorf("the draft is %q", state.Draft)
	}
	handIn(t, s, work, "c2")
	refused(t, s.Requeue(t.Context(), tasks.Requeue{Task: "1", Back: "c1"}), tasks.Stale)
	if state := s.Snapshot().Task("1"); state.Draft != "" || state.Rejections != 1 {
		t.Errorf("it is %+v", state)
	}

	requeue(t, s, tasks.Requeue{Task: "1", Back: "c2", For: "w"})
	refused(t, second(s.ClaimReview(t.Context(), "w", "1")), tasks.Stale)
	handIn(t, s, claim(t, s, "w", "1", "1"), "c2")

	// The tasks of a group stay with their worker while one is in review, and after it comes back.
	handIn(t, s, claim(t, s, "w", "3", "3"), "c3")
	review = claimReview(t, s, "v", "3")
	if len(review.Group) > 0 {
		t.Errorf("a review reserves %v", review.Group)
	}
	for _, id := range []string{"4", "5"} {
		if state := s.Snapshot().Task(id); state.ReservedFor != "w" {
			t.Errorf("task %s is reserved for %q", id, state.ReservedFor)
		}
	}
	requeue(t, s, tasks.Requeue{Task: "3", Epoch: review.Epoch, Back: "c3", For: "w"})
	if state := s.Snapshot().Task("3"); state.ReservedFor != "w" || state.Rejections != 0 {
		t.Errorf("it is %+v", state)
	}
	handIn(t, s, claim(t, s, "w", "3", "3"), "c4")
	approve(t, s, claimReview(t, s, "v", "3"))

	// Work rejected too often puts the task on hold; the count then starts again.
	requeue(t, s, tasks.Requeue{Task: "1", Back: "c2", Rejected: true, Hold: true})
	if state := is(t, s, "1", tasks.Pending, ""); state.Rejections != 2 || !state.OnHold {
		t.Errorf("it is %+v", state)
	}
	requeue(t, s, tasks.Requeue{Task: "1"})
	if state := is(t, s, "1", tasks.Pending, ""); state.Rejections != 0 || state.OnHold || state.Draft != "c2" {
		t.Errorf("it is %+v", state)
	}

	// The worker is lost; others may claim its tasks.
	requeue(t, s, tasks.Requeue{Task: "4", Owner: "w"})
	if state := s.Snapshot().Task("4"); state.ReservedFor != "" {
		t.Errorf("task 4 is reserved for %q", state.ReservedFor)
	}
	claim(t, s, "v", "1", "1")
	before := s.Snapshot()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opener(t)
	for i, state := range s.Snapshot().Tasks {
		if !reflect.DeepEqual(state, before.Tasks[i]) {
			t.Errorf("task %s is\n%+v %+v, and was\n%+v %+v", state.ID, state, state.HandIn, before.Tasks[i], before.Tasks[i].HandIn)
		}
	}
}

// testReviewUnder has the owner of a group build on its own work in review, each piece on top of the one
// before; others wait for the merge.
func testReviewUnder(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	defer func() { s.Close() }()
	add(t, s, grouped("g", task("1")), grouped("g", task("2", "1")), grouped("g", task("3", "1", "2")), grouped("g", task("4")), grouped("g", task("5", "1", "4")), task("6", "1"))
	waits := func(owner, id string, open ...string) {
		t.Helper()
		if no := refused(t, second(s.Claim(t.Context(), owner, id)), tasks.Blocked); !slices.Equal(no.Open, open) {
			t.Errorf("task %s waits for %v, want %v", id, no.Open, open)
		}
	}
	one := claim(t, s, "w", "1", "1")
	waits("w", "2", "1")
	handIn(t, s, one, "c1")
	waits("w", "6", "1")
	refused(t, second(s.Claim(t.Context(), "x", "2")), tasks.Taken)
	if now := s.Snapshot(); len(now.Blockers(now.Task("2"))) > 0 || len(now.Blockers(now.Task("3"))) == 0 {
		t.Error("the wrong ones can be claimed")
	}
	two := claim(t, s, "w", "2", "2")
	if on := s.Snapshot().Task("2").On; on != "c1" {
		t.Errorf("it goes on from %q", on)
	}
	waits("w", "3", "1", "2")
	handIn(t, s, two, "c2")
	if state := s.Snapshot().Task("2"); state.HandIn.On != "c1" || state.On != "" {
		t.Errorf("it is %+v, %+v", state, state.HandIn)
	}
	waits("v", "2", "1") // no other owner claims it before the merge
	handIn(t, s, claim(t, s, "w", "4", "4"), "c4")
	waits("w", "5", "1", "4") // their work is not on top of each other
	three := claim(t, s, "w", "3", "3")
	s.Close()
	s = opener(t)
	if on := s.Snapshot().Task("3").On; on != "c2" {
		t.Errorf("it goes on from %q", on)
	}
	requeue(t, s, tasks.Requeue{Task: "3", Epoch: three.Epoch})
	// If work comes back, only that task does; work on top of it waits for its merge.
	requeue(t, s, tasks.Requeue{Task: "1", Back: "c1", For: "w"})
	waits("w", "3", "1", "2")
	again := claim(t, s, "w", "1", "1")
	handIn(t, s, again, "c9")
	waits("w", "3", "1", "2")
	approve(t, s, claimReview(t, s, "v", "1"))
	complete(t, s, again, "m1")
	if claim(t, s, "w", "3", "3"); s.Snapshot().Task("3").On != "c2" {
		t.Error("it does not go on from what is in review")
	}
}

// testGoesOn interrupts work: the store counts this, and the next claim continues from it.
func testGoesOn(t *testing.T, fresh Fresh) {
	opener := fresh(t)
	s := opener(t)
	defer func() { s.Close() }()
	add(t, s, task("1"), grouped("g", task("2")), grouped("g", task("3")))
	goesOn := func(g tasks.Grant, work string) {
		t.Helper()
		requeue(t, s, tasks.Requeue{Task: g.Task.ID, Epoch: g.Epoch, GoesOn: true, Work: work, For: g.Task.Owner})
	}
	for n, work := range []string{"k1", "k2", ""} {
		goesOn(claim(t, s, "w", "1", "1"), work)
		refused(t, second(s.Claim(t.Context(), "x", "1")), tasks.Taken)
		if is := is(t, s, "1", tasks.Pending, ""); is.Resumes != n+1 || is.Draft != []string{"k1", "k2", "k2"}[n] || is.ReservedFor != "w" {
			t.Errorf("after %d times it is %+v", n+1, is)
		}
	}
	goesOn(claim(t, s, "w", "2", "2"), "k3")
	s.Close()
	s = opener(t)
	if is := is(t, s, "3", tasks.Pending, ""); is.ReservedFor != "w" {
		t.Errorf("the group is let go: %+v", is)
	}
	handIn(t, s, claim(t, s, "w", "1", "1"), "c1")
	if is := is(t, s, "1", tasks.Pending, ""); is.Resumes != 0 || is.Draft != "" {
		t.Errorf("handed in, it is %+v", is)
	}
	review := claimReview(t, s, "v", "1")
	goesOn(review, "")
	if is := is(t, s, "1", tasks.Pending, ""); !is.InReview() || is.Resumes != 1 || is.ReservedFor != "" || is.Draft != "" {
		t.Errorf("a review that goes on is %+v", is)
	}
	approve(t, s, claimReview(t, s, "x", "1"))
	if is := is(t, s, "1", tasks.Pending, ""); is.Resumes != 0 {
		t.Errorf("approved, it is %+v", is)
	}
	requeue(t, s, tasks.Requeue{Task: "2", Hold: true})
	if requeue(t, s, tasks.Requeue{Task: "2"}); s.Snapshot().Task("2").Resumes != 0 || s.Snapshot().Task("2").Draft != "k3" {
		t.Error("the captain has mended it, and it counts on")
	}
}

// testCancel cancels a task: it counts as completed, whoever held it, and has no owner.
func testCancel(t *testing.T, fresh Fresh) {
	s := open(t, fresh, task("1"), task("2", "1"), task("3"), task("4"), task("5"))
	ctx := t.Context()
	held := claim(t, s, "w", "1", "1")
	handIn(t, s, claim(t, s, "w", "3", "3"), "c3")
	review := claimReview(t, s, "v", "3")
	requeue(t, s, tasks.Requeue{Task: "4", Hold: true})
	for range 2 {
		for _, id := range []string{"1", "3", "4"} {
			if err := s.Cancel(ctx, id, "not needed"); err != nil {
				t.Fatal(err)
			}
			if state := is(t, s, id, tasks.Completed, ""); !state.Cancelled || state.Reason != "not needed" || state.InReview() || state.OnHold || state.Commit != "" {
				t.Errorf("it is %+v", state)
			}
		}
	}
	refused(t, s.Complete(ctx, done(held, "c1")), tasks.Done)
	refused(t, s.Approve(ctx, "3", "v", review.Epoch, tasks.Review{Approved: true}), tasks.Stale)
	refused(t, s.Requeue(ctx, tasks.Requeue{Task: "1"}), tasks.Done)
	refused(t, second(s.Claim(ctx, "w", "1")), tasks.Done)
	refused(t, s.Cancel(ctx, "9", ""), tasks.Unknown)
	complete(t, s, claim(t, s, "w", "2", "2"), "c2") // dependents are ready
	refused(t, s.Cancel(ctx, "2", ""), tasks.Done)
	claim(t, s, "w", "", "5")
}
