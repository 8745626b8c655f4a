package hub

import (
	"context"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/merge"
)

// Merge merges the work in a remote tree into the branch, as one commit.
func (h *Hub) Merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	return branch.Persist(ctx, h.Branch, func() (sync.Merged, error) { return h.merge(ctx, r, m) })
}

func (h *Hub) merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	if err := h.CheckOrder(m); err != nil {
		return sync.Merged{}, err
	}
	f, err := h.fetch(ctx, r, m.Name, m.Whole)
	if err != nil {
		return sync.Merged{}, err
	}
	if err := f.refuseBeside(); err != nil {
		return sync.Merged{}, err
	}
	if err := f.refuseIncomplete(h.opts.Limits); err != nil {
		return sync.Merged{}, err
	}
	rec := h.remote(m.Name)
	if h.opts.Shared {
		return h.BringShared(ctx, m, &rec.Source)
	}
	if m.Keep != "" {
		if rec.Kept, err = h.parked.Cleaned(ctx, f.seen.commit, rec.base); err != nil {
			return sync.Merged{}, err
		}
	}
	if rec.marked != "" {
		if err := unreported(ctx, h.repo, rec, f.seen); err != nil {
			return sync.Merged{}, err
		}
		if err := h.refuseMarkers(ctx, f.seen); err != nil {
			return sync.Merged{}, err
		}
	}
	p := merge.Work{Merge: m, Base: rec.From(f.seen.base), Grown: f.seen.base, Commit: f.seen.commit, Source: &rec.Source}
	if m.Onto != "" || m.Stacked {
		p.Base = f.seen.base
	}
	a, err := h.Bring(ctx, p)
	if err == nil && len(a.Clashes) > 0 {
		err = h.mark(ctx, r, m.Name, f, a.Base, a.Head)
	}
	if err != nil {
		return sync.Merged{}, err
	}
	return a.Outcome(f.Notes(h.opts.Limits)...), nil
}

// Find returns the newest commit of the branch with a trailer. It also finds commits that another hub has just
// pushed.
func (h *Hub) Find(ctx context.Context, key, value string) (string, error) {
	if h.Upstream != nil {
		return h.Upstream.Find(ctx, key, value)
	}
	return h.Branch.Find(ctx, key, value)
}

// Refresh moves the branch to where it is in the repository that hubs share.
func (h *Hub) Refresh(ctx context.Context) error {
	if h.Upstream == nil {
		return nil
	}
	_, err := branch.Persist(ctx, h.Branch, func() (struct{}, error) {
		_, _, err := h.Upstream.Bring(ctx, h.Workspace)
		return struct{}{}, err
	})
	return err
}
