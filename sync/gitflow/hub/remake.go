package hub

import (
	"context"
	"fmt"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
)

// Remake makes the branch of the clone at dir again where it was last seen. It does nothing while the branch is there,
// and when the branch was never seen.
func Remake(ctx context.Context, dir, branch string) error {
	if !origin.IsBranch(branch) {
		return origin.BadBranch(branch)
	}
	r, err := git.Open(dir)
	if err != nil {
		return err
	}
	r.Patience = git.HubLockAge
	_, _, err = remake(ctx, r, "refs/heads/"+branch)
	return err
}

// remake returns where the branch is, "" for nowhere, and whether it had to make the branch again.
func remake(ctx context.Context, r git.Repo, ref string) (commit string, made bool, err error) {
	for range 2 { // somebody else may make it at the same moment
		found, e := r.Resolve(ctx, ref+"^{commit}", git.RefHead+"^{commit}")
		if e != nil {
			return "", false, e
		}
		if found[0] != "" || found[1] == "" {
			return found[0], false, nil
		}
		if err = r.UpdateRefs(ctx, "create "+ref+" "+found[1]); err == nil {
			return found[1], true, nil
		}
	}
	return "", false, err
}

// seenAt remembers where the branch is. A captain who has committed there himself is seen when somebody asks; it
// matters only once the branch is gone, so that a failure waits for the next time.
func (h *Hub) seenAt(ctx context.Context, commit string) {
	if was := h.head.Swap(&commit); was != nil && *was == commit {
		return
	}
	if err := h.repo.UpdateRefs(ctx, "update "+git.RefHead+" "+commit); err != nil {
		h.head.Store(nil)
	}
}

// again makes the branch again after somebody deleted it, and returns where it is, "" for nowhere.
func (h *Hub) again(ctx context.Context) string {
	commit, made, err := remake(ctx, h.repo, h.ref())
	if err != nil || commit == "" {
		return ""
	}
	h.remade.Add(1)
	if made && h.opts.Tell != nil {
		h.opts.Tell(fmt.Sprintf("branch %s was gone from %s, and was made anew at %.12s, where it was seen last; git reflog shows what you had elsewhere", h.branch, h.repo.Dir, commit))
	}
	return commit
}
