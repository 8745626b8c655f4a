package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Dropped tells which of the values no commit of the branch names in a trailer with the key any more, though the commit
// given for it did: somebody has reset or rewritten the branch.
func (h *Hub) Dropped(ctx context.Context, key string, commits map[string]string) ([]string, error) {
	revs := []string{h.ref()}
	if found, err := h.repo.Resolve(ctx, git.RefStart+"^{commit}"); err == nil && found[0] != "" {
		revs = append(revs, "^"+found[0])
	}
	named, err := h.named(ctx, key, revs...)
	if err != nil {
		return nil, err
	}
	var dropped []string
	for value, commit := range commits {
		if slices.Contains(named, value) || !git.IsObjectID(commit) {
			continue
		}
		had, err := h.named(ctx, key, "--no-walk", commit)
		if git.Unanswered(ctx, err) {
			return nil, err
		}
		if err != nil || slices.Contains(had, value) { // a ref that is gone was on no branch
			dropped = append(dropped, value)
		}
	}
	slices.Sort(dropped)
	return dropped, nil
}

// named lists the values that commits have in trailers with a key.
func (h *Hub) named(ctx context.Context, key string, revs ...string) ([]string, error) {
	text, err := h.repo.Output(ctx, append([]string{"log", "--format=%(trailers:key=" + key + ",valueonly)"}, revs...)...)
	if err != nil {
		return nil, fmt.Errorf("trailers %s: %w", key, err)
	}
	return strings.Split(text, "\n"), nil
}

// nearest is how many of a commit's first parents Holds asks for before it has git search.
const nearest = 8

// Holds tells whether a commit has another among its ancestors.
func (h *Hub) Holds(ctx context.Context, commit, ancestor string) (bool, error) {
	near := make([]string, nearest)
	for i := range near {
		near[i] = fmt.Sprintf("%s~%d", commit, i)
	}
	if found, err := h.repo.Resolve(ctx, near...); err == nil && ancestor != "" && slices.Contains(found, ancestor) {
		return true, nil // which mostly is so
	}
	err := h.repo.Run(ctx, "merge-base", "--is-ancestor", ancestor, commit)
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}
