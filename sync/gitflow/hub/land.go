package hub

import (
	"context"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// Land brings the work in a commit of the hub's own into the branch as one commit.
func (h *Hub) Land(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	done, err := persist(ctx, h, func() (sync.Merged, error) { return h.land(ctx, commit, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("land: %w", err)
	}
	return done, nil
}

func (h *Hub) land(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	if err := checkLand(m); err != nil {
		return sync.Merged{}, err
	}
	base, err := h.parent(ctx, commit)
	if err == nil && m.On != "" {
		err = h.has(ctx, m.On)
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

// parent is the commit that the work in a commit of the hub's own is counted from.
func (h *Hub) parent(ctx context.Context, commit string) (string, error) {
	if err := h.has(ctx, commit); err != nil {
		return "", err
	}
	found, err := h.repo.Resolve(ctx, commit+"^1")
	if err == nil && found[0] == "" {
		err = fmt.Errorf("commit %s: there is none before it that its work could be counted from: give one that has", commit)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// has fails for what is no commit of the hub's repository.
func (h *Hub) has(ctx context.Context, commit string) error {
	if !git.IsObjectID(commit) {
		return fmt.Errorf("commit %q: give the whole name of a commit", git.PlainText(commit))
	}
	found, err := h.repo.Resolve(ctx, commit+"^{commit}")
	if err == nil && found[0] != commit {
		err = fmt.Errorf("commit %s: there is no such commit in %s", commit, h.repo.Dir)
	}
	return err
}
