//go:build long

package voyage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestReviewGivesUp asks the captain about work that is rejected again and again. When he has it tried again, it is reviewed
// again.
func TestReviewGivesUp(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1,
		reviewed("1", "echo x >>x", "test -e ~/mended || { echo never; exit 1; }"), reviewed("2", "echo y >y", ""))
	eventually.Holds(t, "it is on hold", func() bool { return v.state("1").OnHold && v.done("2")() })
	if s := v.state("1"); s.Rejections != 3 || !strings.Contains(s.Reason, "3 times") || !strings.Contains(s.Reason, "never") {
		t.Errorf("%+v", s)
	}
	var why string
	eventually.Holds(t, "the captain is asked", func() bool {
		b := v.Board()
		needs := need.All(time.Now(), &b, need.Away{})
		if len(needs) > 0 {
			why = needs[0].Why
		}
		return len(needs) > 0
	})
	if !strings.Contains(why, "sent back 3 times") {
		t.Error(why)
	}
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is reviewed again", func() bool { return v.state("1").Rejections > 0 })
}

// TestReviewedConflict has two pieces of work that clash: helm merges the first and sends the second back to be done again on top of the
// first. That counts as no rejection.
func TestReviewedConflict(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 2, reviewed("1", "echo 1 >>x", gate), reviewed("2", "echo 2 >>x", gate))
	eventually.Holds(t, "both are handed in", func() bool { return v.state("1").InReview() && v.state("2").InReview() })
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	b := v.Board()
	conflicts := 0
	for _, s := range b.Ships {
		conflicts += s.Conflicts
	}
	if n := v.state("1").Rejections + v.state("2").Rejections; n > 0 || conflicts != 1 {
		t.Errorf("%d rejections, %d conflicts", n, conflicts)
	}
	if x := git(t, v.Dir, "show", v.Info.Branch+":x"); x != "1\n2" && x != "2\n1" {
		t.Errorf("x is %q", x)
	}
}

// TestReviewOutlivesHelm ends helm at every step of a review: what was handed in, checked and approved stays so, and is merged once,
// also when helm has died between the merge and its record.
func TestReviewOutlivesHelm(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Validators: 1}, "#!/bin/sh\n", reviewed("1", "echo x >x", gate), reviewed("2", "echo y >y", gate))
	v := openIt(t, h, d)
	v.sets(t, 2)
	again := func(open func(testing.TB, *helm, fleet.Dir) *Voyage) {
		h.Close()
		h = startHelm(t, hub)
		v = open(t, h, d)
	}
	eventually.Holds(t, "it is handed in", func() bool { return v.state("1").InReview() })
	again(openIt)
	eventually.Holds(t, "it is reviewed", func() bool { return v.state("1").Owner == "validator-0" })
	was := *v.state("1")
	eventually.Holds(t, "the next is handed in", func() bool { return v.state("2").InReview() })
	again(openStill)
	now := v.state("1")
	if now.Owner != was.Owner || now.Epoch != was.Epoch || now.HandIn.Checked == "" {
		t.Errorf("%+v", now)
	}
	if err := v.Store.Approve(t.Context(), "1", now.Owner, now.Epoch, tasks.Review{Approved: true, By: now.Owner, Reasoning: "fine"}); err != nil {
		t.Fatal(err)
	}
	order := v.Kind.Merge(claims.WorkOf(v.state("1")), now.HandIn.Owner, now.HandIn.Summary)
	order.Keep = ""
	merged, err := v.Work.Land(t.Context(), now.HandIn.Commit, order)
	if err != nil {
		t.Fatal(err)
	}
	again(openIt)
	if s := v.state("1"); s.Status != tasks.Completed || s.Commit != merged.Commit || s.Owner != "ship-0" {
		t.Errorf("%+v", s)
	}
	sinkAfter(t, h, d)
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "all is verified", v.is(fleet.Complete))
	if n := git(t, d, "rev-list", "--count", v.Info.Branch); n != "3" {
		t.Errorf("the branch has %s commits", n)
	}
}

// TestNoValidator sinks the only validator: what it held is in review still, the captain is asked for another, and that one goes on.
func TestNoValidator(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", gate))
	eventually.Holds(t, "it is reviewed", func() bool { return v.state("1").Owner == "validator-0" })
	if err := v.Fit.Remove(t.Context(), "validator-0", func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if s := v.state("1"); !s.InReview() || s.Status != tasks.Pending {
		t.Errorf("%+v", s)
	}
	asks := func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(time.Now(), &b, need.Away{}), func(n need.Need) bool { return strings.Contains(n.Why, "waits for a validator") })
	}
	eventually.Holds(t, "the captain is asked", asks)
	if err := v.Fit.Add(t.Context(), api.AddRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "another reviews", func() bool { return v.state("1").Owner == "validator-0" })
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is merged", v.done("1"))
	if asks() {
		t.Error("the captain is still asked")
	}
}

// TestDiscoveries has what a validator finds become files of the branch, in the same merge.
func TestDiscoveries(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", `ocaptain task review - <<'END'
{"decision": "approve", "reasoning": "it is x", "suggestions": ["say why"],
 "discoveries": [{"type": "gotcha", "content": "x is no y", "files": ["x"]}]}
END`))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	files := git(t, v.Dir, "show", "--format=", "--name-only", v.Info.Branch)
	if at := v.state("1").HandIn.Review.At.Format("2006-01"); files != "docs/discoveries/"+at+"/1.1-x-is-no-y.md\nx" {
		t.Errorf("the merge has %q", files)
	}
	if r := v.state("1").HandIn.Review; r.Reasoning != "it is x" || len(r.Suggestions) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestHandedInAgain has a ship ask once more to complete what it has handed in or completed, with changes made since and without.
func TestHandedInAgain(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", "until test -e ~/go; do sleep 0.3; done"))
	eventually.Holds(t, "the validator reviews", func() bool { return v.state("1").Owner == "validator-0" })
	worker, _ := v.ShipNamed("ship-0")
	again := func(when, refused string, review bool) {
		t.Helper()
		done, err := worker.v.Requests.Complete(t.Context(), worker.Ship, proto.CompleteRequest{Claim: proto.Claim{Task: "1", Epoch: 1}})
		switch {
		case refused == "" && (err != nil || done.Review != review):
			t.Errorf("%s: %+v, %v", when, done, err)
		case refused != "" && (err == nil || !strings.Contains(err.Error(), refused)):
			t.Errorf("%s: %+v, %v", when, done, err)
		}
	}
	again("as it was handed in", "", true)
	late := filepath.Join("voyage/workspace", "late")
	writeFile(t, homeOf(t, v, "ship-0"), late, "late\n")
	again("changed since", "without what you changed since", true)
	if err := os.Remove(filepath.Join(homeOf(t, v, "ship-0"), late)); err != nil {
		t.Fatal(err)
	}
	again("put back", "", true)
	x := filepath.Join("voyage/workspace", "x")
	if err := os.Remove(filepath.Join(homeOf(t, v, "ship-0"), x)); err != nil {
		t.Fatal(err)
	}
	again("undone since", "in review as commit", true)
	writeFile(t, homeOf(t, v, "ship-0"), x, "x\n")
	again("done again", "", true)
	writeFile(t, homeOf(t, v, "validator-0"), "go", "")
	eventually.Holds(t, "it is done", v.done("1"))
	again("as it was completed", "", false)
	writeFile(t, homeOf(t, v, "ship-0"), late, "late\n")
	again("changed after that", "completed, without what you changed since", false)
}
