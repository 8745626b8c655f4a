package voyage

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// newReviewed sails a voyage of script tasks whose work is reviewed by one validator.
func newReviewed(t *testing.T, h *helm, verify string, workers int, all ...tasks.Task) *Voyage {
	t.Helper()
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{Validators: 1}, "#!/bin/sh\n"+verify+"\n", all...)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	v.sets(t, 1+workers)
	return v
}

func reviewed(id, run, review string) tasks.Task {
	one := helmtest.Task(id, run)
	one.Metadata["review"] = review
	return one
}

// TestReview has work handed in, checked, reviewed and merged, each in its turn: what is rejected and what does not pass the check
// goes back to who did it, with the reason.
func TestReview(t *testing.T) {
	t.Parallel()
	once := func(name, first, then string) string {
		return fmt.Sprintf("if test -e ~/%s; then %s; else touch ~/%s; %s; fi", name, then, name, first)
	}
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "test ! -e red", 2,
		reviewed("1", "echo a >a", ""),
		reviewed("2", "echo b >b", `test "$(git show --name-only --format= HEAD)" = b`),
		reviewed("3", once("three", "echo bad >c", "echo good >c"), "grep good c || { echo it is bad; exit 1; }"),
		reviewed("4", once("four", "touch red", "rm -f red; echo d >d"), ""),
		reviewed("5", "true", ""),
	)
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	log := git(t, v.Dir, "log", "--format=%s %(trailers:key=Ocaptain-Task,key=Ocaptain-Ship,key=Ocaptain-Review,valueonly,separator=%x20)", v.Info.Branch)
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Internal() {
			continue
		}
		if s.ID == "5" {
			if !s.Empty || !s.HandIn.Empty || s.Commit != "" || strings.Contains(log, " 5 ") {
				t.Errorf("task 5 changed nothing, and it is %+v in\n%s", s, log)
			}
			continue
		}
		if n := strings.Count(log, " "+s.ID+" "+s.Owner+" validator-0"); n != 1 || !strings.HasPrefix(s.Owner, "ship-") || s.HandIn.Review == nil {
			t.Errorf("task %s by %s is %d times in\n%s", s.ID, s.Owner, n, log)
		}
		want := map[string]int{"3": 1, "4": 1}[s.ID]
		if s.Rejections != want {
			t.Errorf("task %s was rejected %d times: %s", s.ID, s.Rejections, s.Reason)
		}
	}
	three, four := v.state("3"), v.state("4")
	if !strings.Contains(three.Reason, "it is bad") || !strings.HasPrefix(three.Reason, "validator-0: ") || three.HandIn.Review.By != "validator-0" {
		t.Errorf("task 3 was rejected as %q", three.Reason)
	}
	if !strings.Contains(four.Reason, "verify.sh fails") {
		t.Errorf("task 4 was sent back as %q", four.Reason)
	}
	if refs := git(t, v.Dir, "for-each-ref", "refs/ocaptain/reviews"); refs != "" {
		t.Errorf("refs are left:\n%s", refs)
	}
}

// TestForgedReviews has a worker's machine say whatever it likes: nothing is approved by it.
func TestForgedReviews(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", "sleep 1000"), reviewed("2", "sleep 1000", ""))
	eventually.Holds(t, "the validator reviews", func() bool { return v.state("1").Owner == "validator-0" })
	eventually.Holds(t, "the worker works", func() bool { return v.state("2").Owner == "ship-0" })
	worker, _ := v.ShipNamed("ship-0")
	validator, _ := v.ShipNamed("validator-0")
	ctx := t.Context()
	yes := tasks.ReviewJSON(true, "fine")
	for epoch := range uint64(5) {
		for _, id := range []string{"1", "2", "3", ""} {
			if _, err := worker.v.Requests.TakeReview(ctx, worker.Ship, proto.ReviewRequest{Claim: proto.Claim{Task: id, Epoch: epoch}, Review: yes}); err == nil {
				t.Errorf("a worker has approved %q", id)
			}
			if id != "1" || epoch != v.state("1").Epoch {
				if _, err := validator.v.Requests.TakeReview(ctx, validator.Ship, proto.ReviewRequest{Claim: proto.Claim{Task: id, Epoch: epoch}, Review: yes}); err == nil {
					t.Errorf("the validator has approved %q, which it does not hold", id)
				}
			}
		}
	}
	if _, err := worker.claim(ctx, worker.v.Requests.Claim, proto.ClaimRequest{Task: "1"}); err == nil {
		t.Error("a worker has claimed a review")
	}
	if _, err := worker.v.Requests.Complete(ctx, worker.Ship, proto.CompleteRequest{Claim: proto.Claim{Task: "1", Epoch: v.state("1").HandIn.Epoch}}); err != nil {
		t.Errorf("asked again, it says %v", err)
	}
	if _, err := validator.v.Requests.Complete(ctx, validator.Ship, completion(v.state("1"))); err == nil || !strings.Contains(err.Error(), "task review") {
		t.Errorf("a validator completes a review: %v", err)
	}
	if _, err := validator.claim(ctx, validator.v.Requests.Claim, proto.ClaimRequest{Task: "2"}); err == nil {
		t.Error("a validator has claimed work")
	}
	mine := proto.Claim{Task: "1", Epoch: v.state("1").Epoch}
	for _, raw := range []string{"", "LGTM", `{"decision": "approve"}`, `{"decision": "merge", "reasoning": "x"}`} {
		if _, err := validator.v.Requests.TakeReview(ctx, validator.Ship, proto.ReviewRequest{Claim: mine, Review: []byte(raw)}); err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%q is a review: %v", raw, err)
		}
	}
	if s := v.state("1"); s.Approved() || s.Status != tasks.InProgress {
		t.Errorf("%+v", s)
	}
	for range 2 {
		if _, err := validator.v.Requests.TakeReview(ctx, validator.Ship, proto.ReviewRequest{Claim: mine, Review: yes}); err != nil {
			t.Error(err)
		}
	}
	eventually.Holds(t, "it is merged", v.done("1"))
	if _, err := validator.v.Requests.TakeReview(ctx, validator.Ship, proto.ReviewRequest{Claim: mine, Review: tasks.ReviewJSON(false, "no")}); err != nil {
		t.Log(err)
	}
	if s := v.state("1"); s.Status != tasks.Completed {
		t.Errorf("%+v", s)
	}
}

const gate = "until test -e ~/gate; do sleep 0.3; done"
