package gitflow

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/sync"
)

// Unmerged copies a remote tree to refs/ocaptain/live/<name>, as Snapshot does. Its Changed counts the
// files that differ from what was last merged of it, or from what it was last brought to, and those
// that could not be copied. With 0, no Sides and nothing Stashed, the remote has nothing that would be
// lost with it.
func (h *Hub) Unmerged(ctx context.Context, r sync.Remote, name string) (sync.Snapshot, error) {
	snap, err := h.unmerged(ctx, r, name)
	if err != nil {
		return sync.Snapshot{}, fmt.Errorf("unmerged work of %s: %w", plain(name), err)
	}
	return snap, nil
}

func (h *Hub) unmerged(ctx context.Context, r sync.Remote, name string) (snap sync.Snapshot, err error) {
	f, err := h.fetch(ctx, r, name)
	if err != nil {
		return snap, err
	}
	if snap, err = h.told(ctx, f); err != nil {
		return snap, err
	}
	snap.Changed, err = h.ahead(ctx, name, f.seen)
	snap.Changed += len(f.Left) + f.More
	return snap, err
}

func (h *Hub) ahead(ctx context.Context, name string, s seen) (int, error) {
	from := s.base
	if home := h.remote(name).home; home != "" { // merged, and not brought to the branch since
		from = home
	}
	if from == s.commit {
		return 0, nil
	}
	names, err := h.repo.out(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from, s.commit)
	return strings.Count(names, "\x00"), err
}
