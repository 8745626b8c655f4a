//go:build long

package voyage

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestTogether has work checked together that is bad only together: half of it may be merged, and what is to blame goes back.
func TestTogether(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "! { test -e b && test -e c; }", 1,
		reviewed("1", "echo a >a", gate), helmtest.Task("2", "echo b >b"), helmtest.Task("3", "test ! -e b || git rm -q b; echo c >c"), inGroup("g", helmtest.Task("4", "echo d >d")), helmtest.Task("5", "test -e a || echo clash >a"))
	eventually.Holds(t, "all are in review", func() bool {
		for _, t := range v.Store.Snapshot().Tasks {
			if !t.InReview() {
				return false
			}
		}
		return v.state("1").Owner != ""
	})
	for _, id := range []string{"2", "3", "4", "5"} {
		if err := v.Captain.Decide(t.Context(), api.DecideRequest{Task: id, Work: v.state(id).HandIn.Commit, Approve: true}); err != nil {
			t.Fatal(err)
		}
	}
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if three := v.state("3"); three.Rejections != 1 {
		t.Errorf("task 3 was rejected %d times: %s", three.Rejections, three.Reason)
	}
}
