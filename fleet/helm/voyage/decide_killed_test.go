package voyage

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
)

// When helm was killed between the captain's claim and his approval, the next helm gives up the claim: the work waits for a decision again.
func TestKilledWithinApproval(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Validators: 1}, "#!/bin/sh\n", reviewed("1", "true", ""))
	v := openStill(t, h, d)
	g, err := v.Store.Claim(t.Context(), "ship-0", "1")
	if err != nil {
		t.Fatal(err)
	}
	work := tasks.Completion{Task: "1", Owner: "ship-0", Epoch: g.Epoch, Commit: git(t, d, "rev-parse", "HEAD")}
	if err := v.Store.HandIn(t.Context(), work, "done"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Store.ClaimReview(t.Context(), fleet.Captain, "1"); err != nil {
		t.Fatal(err)
	}
	h.Close()

	v = openStill(t, startHelm(t, hub), d)
	if s := v.state("1"); s.Status != tasks.Pending || s.Owner != "" || !s.InReview() || s.Approved() {
		t.Errorf("it is %+v", s)
	}
}
