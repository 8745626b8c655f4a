package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// Revert takes what a commit of the branch changed back, as one commit more on the branch. Where later commits changed the same lines it is
// a *sync.Conflict, and nothing changes.
func (h *Hub) Revert(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	done, err := persist(ctx, h, func() (sync.Merged, error) { return h.revert(ctx, commit, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("revert: %w", err)
	}
	return done, nil
}

func (h *Hub) revert(ctx context.Context, commit string, m sync.Merge) (sync.Merged, error) {
	if err := checkLand(m); err != nil {
		return sync.Merged{}, err
	}
	before, err := h.parent(ctx, commit)
	if err != nil {
		return sync.Merged{}, err
	}
	// The work goes from the commit to the one before it.
	return h.landPiece(ctx, piece{Merge: m, base: commit, commit: before})
}

// Since tells what later commits of the branch did to the files of one of its commits, newest first. Lines says that a commit changed the
// same lines: the files where it is the first after which what the commit changed cannot be taken back by itself.
func (h *Hub) Since(ctx context.Context, commit string) (files []string, since []sync.Change, err error) {
	before, err := h.parent(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	all, err := h.repo.Changes(ctx, before, commit)
	if err != nil {
		return nil, nil, err
	}
	for path := range all {
		files = append(files, path)
	}
	slices.Sort(files)
	head, err := h.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := h.repo.Output(ctx, "rev-list", "--first-parent", "--max-count=200", commit+".."+head)
	if err != nil {
		return nil, nil, err
	}
	clashed := map[string]bool{}
	for _, later := range slices.Backward(strings.Fields(text)) {
		c, err := h.since(ctx, commit, before, later, all, clashed)
		if err != nil {
			return nil, nil, err
		}
		if len(c.Files) > 0 {
			since = append(since, c)
		}
	}
	slices.Reverse(since)
	return files, since, nil
}

// since is what a later commit did to files of a commit. It adds to clashed the files whose lines it changed.
func (h *Hub) since(ctx context.Context, commit, before, later string, files map[string]git.Change, clashed map[string]bool) (sync.Change, error) {
	c := sync.Change{Commit: later}
	changed, err := h.repo.Changes(ctx, later+"^1", later)
	if err != nil {
		return c, err
	}
	for path := range changed {
		if _, same := files[path]; same {
			c.Files = append(c.Files, path)
		}
	}
	slices.Sort(c.Files)
	if len(c.Files) == 0 {
		return c, nil
	}
	m, err := h.repo.Merge(ctx, commit, later, before)
	if err != nil {
		return c, err
	}
	for _, clash := range m.Clashes {
		if !clashed[clash.Path] && !slices.Contains(c.Lines, clash.Path) {
			c.Lines = append(c.Lines, clash.Path)
		}
	}
	for _, path := range c.Lines {
		clashed[path] = true
	}
	return c, nil
}
