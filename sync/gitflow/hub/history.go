package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// History returns the commits of the branch, newest first, down to the commit that it began at, each with the
// values of these trailers.
func (h *Hub) History(ctx context.Context, keys ...string) ([]sync.Commit, error) {
	head, err := h.Head(ctx)
	if err != nil {
		return nil, err
	}
	revs, start := []string{head}, ""
	if found, err := h.repo.Resolve(ctx, git.RefStart+"^{commit}"); err == nil && found[0] != "" {
		start = found[0]
		revs = append(revs, "^"+start)
	}
	all, err := h.commits(ctx, revs, keys)
	if start != "" && !slices.ContainsFunc(all, func(c sync.Commit) bool { return c.ID == start }) {
		all = append(all, sync.Commit{ID: start})
	}
	return all, err
}

// Parent returns the first parent of a commit.
func (h *Hub) Parent(ctx context.Context, commit string) (string, error) {
	return h.of(ctx, commit, "^1")
}

// Tree returns the tree of a commit: two commits that hold the same files have the same.
func (h *Hub) Tree(ctx context.Context, commit string) (string, error) {
	return h.of(ctx, commit, "^{tree}")
}

// of resolves what git's syntax for revisions names of a commit.
func (h *Hub) of(ctx context.Context, commit, suffix string) (string, error) {
	if !git.IsObjectID(commit) {
		return "", fmt.Errorf("commit %q: give the whole name of a commit", git.PlainText(commit))
	}
	found, err := h.repo.Resolve(ctx, commit+suffix)
	switch {
	case err != nil:
		return "", err
	case found[0] == "":
		return "", fmt.Errorf("commit %s: there is no %s%s in %s", commit, commit, suffix, h.repo.Dir)
	}
	return found[0], nil
}

// Has reports whether a commit is in the repository.
func (h *Hub) Has(ctx context.Context, commit string) bool {
	return h.has(ctx, commit) == nil
}

// HistoryUnder returns the newest commit of each branch in a folder, like dispatch, as History does, and what Fetch brought.
func (h *Hub) HistoryUnder(ctx context.Context, folder string, keys ...string) ([]sync.Commit, error) {
	if _, err := h.ontoRef(folder); err != nil {
		return nil, err
	}
	var all []sync.Commit
	if !h.repo.HasNoRefs("refs/heads/" + folder + "/") { // without any, git would tell of HEAD
		var err error
		if all, err = h.commits(ctx, []string{"--no-walk=unsorted", "--glob=refs/heads/" + folder + "/"}, keys); err != nil {
			return nil, err
		}
	}
	fetched, err := h.repo.Output(ctx, "for-each-ref", "--format=%(objectname)", git.RefFrom)
	if err != nil {
		return nil, err
	}
	for id := range strings.SplitSeq(fetched, "\n") {
		if git.IsObjectID(id) {
			all = append(all, sync.Commit{ID: id})
		}
	}
	return all, nil
}

// commits lists the commits of revisions, newest first.
func (h *Hub) commits(ctx context.Context, revs, keys []string) ([]sync.Commit, error) {
	format := "--format=%H%x1f%ae"
	for _, key := range keys {
		if err := checkTrailer(key, "value"); err != nil {
			return nil, err
		}
		format += "%x1f%(trailers:key=" + key + ",valueonly,unfold,separator=%x1e)"
	}
	b, err := h.repo.Bytes(ctx, nil, append([]string{"log", "-z", format}, revs...)...)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	var all []sync.Commit
	for rec := range strings.SplitSeq(string(b), "\x00") {
		fields := strings.Split(strings.TrimSuffix(rec, "\n"), "\x1f")
		if len(fields) != len(keys)+2 || !git.IsObjectID(fields[0]) {
			continue // a message may hold anything
		}
		c := sync.Commit{ID: fields[0], Mail: fields[1], Values: map[string]string{}}
		for i, key := range keys {
			if values := strings.Split(fields[i+2], "\x1e"); len(values) == 1 { // a trailer of ours is there once
				c.Values[key] = values[0]
			}
		}
		all = append(all, c)
	}
	return all, nil
}
