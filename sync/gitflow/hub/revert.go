package hub

import (
	"context"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
)

// Revert takes what a commit of the branch changed back, as one commit more on the branch. Where later commits changed the same lines it is
// a *sync.Conflict, and nothing changes.
func (h *Hub) Revert(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	done, err := branch.Persist(ctx, h.Branch, func() (sync.Merged, error) { return h.revert(ctx, commit, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("revert: %w", err)
	}
	return done, nil
}

func (h *Hub) revert(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	if err := checkLand(m); err != nil {
		return sync.Merged{}, err
	}
	before, err := h.Parent(ctx, commit)
	if err != nil {
		return sync.Merged{}, err
	}
	// The work goes from the commit to the one before it.
	return h.landPiece(ctx, piece{Merge: m, base: commit, commit: before})
}
