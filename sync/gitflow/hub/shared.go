package hub

import (
	"context"
	"errors"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// mergeShared commits the captain's tree as it is: it has the work of all who share it. Who wrote which file is unknown, so a commit is a
// state of the whole tree, and never a choice of files that were together nowhere.
func (h *Hub) mergeShared(ctx context.Context, m sync.Merge, rec *remote) (sync.Merged, error) {
	c := race{apart: true}
	for try := 0; ; try++ {
		p, notes, err := h.sharedPiece(ctx, m, rec)
		if err != nil {
			return sync.Merged{}, err
		}
		a, err := h.raced(ctx, p, &c)
		if err == nil {
			return a.merged(notes...), nil
		}
		if !errors.Is(err, staging.ErrMoved) || try == mergeTries {
			return sync.Merged{}, err
		}
	}
}

// sharedPiece is the captain's tree as work on top of the branch.
func (h *Hub) sharedPiece(ctx context.Context, m sync.Merge, rec *remote) (piece, []string, error) {
	base, commit, notes, err := h.Workspace.Capture(ctx)
	if err != nil {
		return piece{}, nil, err
	}
	if err := h.intake.Judge(ctx, base, commit); err != nil {
		return piece{}, nil, err
	}
	return piece{Merge: m, base: base, grown: base, commit: commit, trial: git.RefTrial + m.Name, rec: rec, shared: true}, notes, nil
}
