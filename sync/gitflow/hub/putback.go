package hub

import (
	"context"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/merge"
)

// PutBack puts the work of a commit in the hub's repository into a remote tree, as uncommitted changes.
func (h *Hub) PutBack(ctx context.Context, r sync.Remote, name, commit string) (*sync.Conflict, error) {
	return branch.Persist(ctx, h.Branch, func() (*sync.Conflict, error) { return h.putBack(ctx, r, name, commit) })
}

func (h *Hub) putBack(ctx context.Context, r sync.Remote, name, commit string) (*sync.Conflict, error) {
	base, err := h.Parent(ctx, commit)
	if err != nil {
		return nil, err
	}
	f, err := h.fetch(ctx, r, name, false)
	if err != nil {
		return nil, err
	}
	keep, err := h.upkeep.KeepObjects(ctx)
	if err != nil {
		return nil, err
	}
	defer keep()
	k, err := mergeMarked(ctx, h.repo, name, base, f.seen.base, commit)
	if err != nil {
		return nil, err
	}
	var c *sync.Conflict
	if len(k.Clashes) > 0 {
		c = merge.Conflict(k.head, k.Clashes, git.Clash.Explain)
	}
	trees, err := h.repo.Resolve(ctx, f.seen.commit+"^{tree}", f.seen.base+"^{tree}")
	switch {
	case err != nil:
		return nil, err
	case trees[0] == k.Tree && (c == nil || trees[0] != trees[1]): // the tree has the work already, perhaps from a call that was cut short
		rec := h.remote(name)
		rec.reported = rec.marked
		return c, nil
	case trees[0] != trees[1]:
		return nil, sync.ErrChanged
	}
	return c, h.sendMarking(ctx, r, name, f, k, commit)
}
