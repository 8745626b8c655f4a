package helm

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// TestCaptainReviews has the captain decide in the place of the validator, whether that is at it or not.
func TestCaptainReviews(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, newHub(t)), "exit 0", 2, reviewed("1", "echo x >>x", gate), reviewed("2", "echo y >>y", gate))
	eventually.Holds(t, "both are in review, one with the validator", func() bool {
		one, two := v.state("1"), v.state("2")
		return one.InReview() && two.InReview() && one.Owner+two.Owner == "validator-0"
	})
	decide := func(id string, yes bool) error {
		return v.decide(t.Context(), api.DecideRequest{Task: id, Work: v.state(id).HandIn.Commit, Approve: yes, Reason: "my word"})
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: "other", Approve: true}); err == nil || !strings.Contains(err.Error(), "look again") {
		t.Errorf("other work: %v", err)
	}
	for _, id := range []string{"1", "2"} {
		if err := decide(id, true); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	for _, id := range []string{"1", "2"} {
		if r := v.state(id).HandIn.Review; r.By != "captain" || r.Reasoning != "my word" {
			t.Errorf("%+v", r)
		}
	}
}
