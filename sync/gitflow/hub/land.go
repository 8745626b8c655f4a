package hub

import (
	"context"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
)

// Land brings the work in a commit of the hub's own into the branch as one commit.
func (h *Hub) Land(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	done, err := branch.Persist(ctx, h.Branch, func() (sync.Merged, error) { return h.land(ctx, commit, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("land: %w", err)
	}
	return done, nil
}

func (h *Hub) land(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	if err := checkLand(m); err != nil {
		return sync.Merged{}, err
	}
	base, err := h.Parent(ctx, commit)
	if err == nil && m.On != "" {
		err = h.Check(ctx, m.On)
	}
	if err != nil {
		return sync.Merged{}, err
	}
	return h.landPiece(ctx, piece{Merge: m, base: base, commit: commit})
}

// landPiece brings a piece home that comes from no remote tree.
func (h *Hub) landPiece(ctx context.Context, p piece) (sync.Merged, error) {
	p.trial = fmt.Sprintf("%s=%d", git.RefTrial, h.landed.Add(1)) // no remote's name has an equals sign
	a, err := h.home(ctx, p)
	if err != nil {
		return sync.Merged{}, err
	}
	if len(a.Clashes) > 0 {
		return sync.Merged{}, conflictIn(a.head, a.Clashes, git.Clash.Describe)
	}
	return a.merged(), nil
}
