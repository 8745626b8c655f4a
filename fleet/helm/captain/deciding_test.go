package captain

import (
	"context"
	"errors"
	"testing"

	"ocaptain/fleet/helm/api"
)

// A caller that waits for another decision can leave.
func TestDecidingCanBeLeft(t *testing.T) {
	c := New(Options{})
	if err := c.deciding.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := c.DecideProposal(left, api.ProposalRequest{Proposal: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}
