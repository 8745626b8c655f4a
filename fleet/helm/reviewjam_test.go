package helm

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// TestWorkIsGone takes away what was handed in: that task is put on hold and is a need, and other work is merged. Had again, it is done
// anew.
func TestWorkIsGone(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, newHub(t)), "exit 0", 1, reviewed("1", "echo x >x", gate), task("2", "echo y >y"))
	eventually.Holds(t, "both are handed in", func() bool { return v.state("1").Owner == "validator-0" && v.state("2").InReview() })
	gone := v.state("2").HandIn.Commit
	git(t, v.dir, "update-ref", "-d", handInRef("2"))
	git(t, v.dir, "reflog", "expire", "--expire=now", "--all")
	for _, ref := range strings.Fields(git(t, v.dir, "for-each-ref", "--contains", gone, "--format=%(refname)")) {
		git(t, v.dir, "update-ref", "-d", ref)
	}
	git(t, v.dir, "prune", "--expire=now")
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "the other is merged", v.done("1"))
	eventually.Holds(t, "it is on hold", func() bool { return v.state("2").OnHold })
	if s := v.state("2"); !strings.Contains(s.Reason, "cannot be merged") {
		t.Errorf("%+v", s)
	}
	if _, err := v.requeue(t.Context(), api.RequeueRequest{Task: "2"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is done anew", v.is(fleet.Complete))
}

// TestForgedClaim has a review's command overwrite what its ship knows of the claim: helm goes by what it has granted.
func TestForgedClaim(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, newHub(t)), "exit 0", 1, reviewed("1", "echo x >x", `echo '{"task": "9", "epoch": 1}' >~/.ocaptain/claim.json; ocaptain task review reject --why forged; true`))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if s := v.state("1"); s.Rejections > 0 || s.HandIn.Review.By != "validator-0" {
		t.Errorf("%+v", s)
	}
}
