package gitflow

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/sync"
)

// Unmerged copies a remote tree to refs/ocaptain/live/<name>, as Snapshot does, and counts the
// files that differ from what was last merged of it, or from what it was last brought to, and those
// that could not be copied. With 0 the tree has nothing that would be lost with it.
func (h *Hub) Unmerged(ctx context.Context, r sync.Remote, name string) (files int, commit string, err error) {
	f, err := h.fetch(ctx, r, name)
	if err == nil {
		files, err = h.ahead(ctx, name, f.seen)
		files += len(f.Left) + f.More
	}
	if err != nil {
		return 0, "", fmt.Errorf("unmerged work of %s: %w", plain(name), err)
	}
	return files, f.seen.commit, nil
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
