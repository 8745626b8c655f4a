package voyage

import (
	"context"
	"errors"
	"testing"

	"ocaptain/fleet/helm/api"
)

// Who waits for another decision about a proposal can leave.
func TestDecidingCanBeLeft(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	if err := v.deciding.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := v.DecideProposal(left, api.ProposalRequest{Proposal: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}
