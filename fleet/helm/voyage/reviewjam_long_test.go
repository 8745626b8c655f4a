//go:build long

package voyage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/review"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestDiscoveryInTheWay has a validator find something where the repository has a file in place of the directory: the work is merged
// without, and the captain is told.
func TestDiscoveryInTheWay(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, helmtest.Task("1", "echo f >docs"),
		after(reviewed("2", "echo x >x", `ocaptain task review - <<'END'
{"decision": "approve", "reasoning": "fine", "discoveries": [{"type": "gotcha", "content": "x"}]}
END`), "1"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	v.tells(t, "what it has found cannot be written", "docs")
}

// TestReviewWithoutBranch takes the voyage's branch away while work is in review: helm makes the branch again, and blames no work.
func TestReviewWithoutBranch(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", gate), helmtest.Task("2", "echo y >y"))
	eventually.Holds(t, "both are handed in", func() bool { return v.state("1").Owner == "validator-0" && v.state("2").InReview() })
	git(t, v.Dir, "checkout", "-q", "--detach")
	git(t, v.Dir, "branch", "-qD", v.Info.Branch)
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	for _, id := range []string{"1", "2"} {
		if s := v.state(id); s.Rejections > 0 || s.Status != tasks.Completed {
			t.Errorf("%+v", s)
		}
	}
}

// TestCaptainsFileInTheWay has a file of the captain's, which git does not know, where approved work would put one: that work waits for
// him, other work is merged, and it is merged once he has moved his file.
func TestCaptainsFileInTheWay(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", gate), helmtest.Task("2", "echo y >y"))
	eventually.Holds(t, "both are handed in", func() bool { return v.state("1").Owner == "validator-0" && v.state("2").InReview() })
	mine := filepath.Join(v.Dir.Workspace(), "x")
	if err := errors.Join(os.WriteFile(filepath.Join(v.Dir.Workspace(), ".git", "info", "exclude"), []byte("/x\n"), 0o644), os.WriteFile(mine, []byte("mine\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it waits", func() bool { return strings.Contains(v.Board().InTheWay["1"].Why, "in the way") })
	eventually.Holds(t, "the other is merged", v.done("2"))
	if kinds := needsOf(v); !slices.Contains(kinds, fleet.NeedInTheWay) || v.state("1").OnHold {
		t.Errorf("it needs %v: %+v", kinds, v.state("1"))
	}
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "mine\n" {
		t.Errorf("the captain's file is %q, %v", raw, err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is merged", v.done("1"))
	if b := v.Board(); len(b.InTheWay) > 0 {
		t.Errorf("in the way is %v", b.InTheWay)
	}
}

// TestWorkIsGone removes what was handed in: that task is put on hold and is a need, and other work is merged. Once requeued, it is
// done from the start.
func TestWorkIsGone(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", gate), helmtest.Task("2", "echo y >y"))
	eventually.Holds(t, "both are handed in", func() bool { return v.state("1").Owner == "validator-0" && v.state("2").InReview() })
	gone := v.state("2").HandIn.Commit
	git(t, v.Dir, "update-ref", "-d", review.HandInRef("2"))
	git(t, v.Dir, "reflog", "expire", "--expire=now", "--all")
	for _, ref := range strings.Fields(git(t, v.Dir, "for-each-ref", "--contains", gone, "--format=%(refname)")) {
		git(t, v.Dir, "update-ref", "-d", ref)
	}
	git(t, v.Dir, "prune", "--expire=now")
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "the other is merged", v.done("1"))
	eventually.Holds(t, "it is on hold", func() bool { return v.state("2").OnHold })
	if s := v.state("2"); !strings.Contains(s.Reason, "cannot be merged") {
		t.Errorf("%+v", s)
	}
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "2"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is done anew", v.is(fleet.Complete))
}

// TestForgedClaim has a review's command overwrite what its ship knows of the claim: helm goes by what it has granted.
func TestForgedClaim(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 1, reviewed("1", "echo x >x", `echo '{"task": "9", "epoch": 1}' >~/.ocaptain/claim.json; ocaptain task review reject --why forged; true`))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if s := v.state("1"); s.Rejections > 0 || s.HandIn.Review.By != "validator-0" {
		t.Errorf("%+v", s)
	}
}
