// Package branch is about the branch into which work is merged, in the captain's clone: where it is, what its commits
// say, and what hinders work on it.
package branch

import (
	"context"
	"fmt"
	"sync/atomic"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
)

// Branch is a branch of a clone. If it is deleted, the next call creates it again at the last known commit.
type Branch struct {
	repo   git.Repo
	name   string
	tell   func(text string)
	head   atomic.Pointer[string] // commit of RefHead, nil while unknown
	remade atomic.Uint64          // how often this process has created it again
}

// New returns a branch of a clone. tell, which may be nil, gets messages for the captain.
func New(repo git.Repo, name string, tell func(text string)) *Branch {
	return &Branch{repo: repo, name: name, tell: tell}
}

// Name returns the branch's name.
func (b *Branch) Name() string { return b.name }

// Ref returns the branch's full ref.
func (b *Branch) Ref() string { return "refs/heads/" + b.name }

// Head returns the newest commit of the branch. If there is no such branch, the error is a *sync.Hindered.
func (b *Branch) Head(ctx context.Context) (string, error) {
	found, err := b.repo.Resolve(ctx, b.Ref()+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("branch %s: %w", b.name, err)
	}
	if found[0] == "" {
		found[0] = b.again(ctx)
	}
	if found[0] == "" {
		return "", b.lacking()
	}
	b.SeenAt(ctx, found[0])
	return found[0], nil
}

// Remake creates the branch of the clone at dir again at its last known commit. It does nothing if the branch exists
// or no commit is known.
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

// remake returns the commit of the branch, "" for none, and whether it had to create the branch.
func remake(ctx context.Context, r git.Repo, ref string) (commit string, made bool, err error) {
	for range 2 { // another process may create it at the same moment
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

// SeenAt records the commit of the branch in RefHead, also after the captain has committed. RefHead is needed only
// once the branch is gone, so SeenAt ignores an error until the next call.
func (b *Branch) SeenAt(ctx context.Context, commit string) {
	if was := b.head.Swap(&commit); was != nil && *was == commit {
		return
	}
	if err := b.repo.UpdateRefs(ctx, "update "+git.RefHead+" "+commit); err != nil {
		b.head.Store(nil)
	}
}

// Moved records that branch and RefHead are at commit.
func (b *Branch) Moved(commit string) { b.head.Store(&commit) }

// again creates a deleted branch again, and returns its commit, "" if that is unknown.
func (b *Branch) again(ctx context.Context) string {
	commit, made, err := remake(ctx, b.repo, b.Ref())
	if err != nil || commit == "" {
		return ""
	}
	b.remade.Add(1)
	if made && b.tell != nil {
		b.tell(fmt.Sprintf("branch %s was gone from %s, and was made anew at %.12s, where it was seen last; git reflog shows what you had elsewhere", b.name, b.repo.Dir, commit))
	}
	return commit
}
