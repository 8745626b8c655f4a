// Package branch is the branch that work comes to in the captain's clone: where it is, what its commits say, and what hinders work on it.
package branch

import (
	"context"
	"fmt"
	"sync/atomic"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
)

// Branch is a branch of a clone. When somebody deletes it, it is made again where it was seen last.
type Branch struct {
	repo   git.Repo
	name   string
	tell   func(text string)
	head   atomic.Pointer[string] // what RefHead says, nil when that is not known
	remade atomic.Uint64          // how often it was made again
}

// New returns a branch of a clone. News for the captain goes to tell, which may be nil.
func New(repo git.Repo, name string, tell func(text string)) *Branch {
	return &Branch{repo: repo, name: name, tell: tell}
}

// Name is the branch's name.
func (b *Branch) Name() string { return b.name }

// Ref is the branch's full name.
func (b *Branch) Ref() string { return "refs/heads/" + b.name }

// Head returns the newest commit of the branch. That there is none is a *sync.Hindered.
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

// SeenAt remembers where the branch is. A captain who has committed there himself is seen when somebody asks; it
// matters only once the branch is gone, so that a failure waits for the next time.
func (b *Branch) SeenAt(ctx context.Context, commit string) {
	if was := b.head.Swap(&commit); was != nil && *was == commit {
		return
	}
	if err := b.repo.UpdateRefs(ctx, "update "+git.RefHead+" "+commit); err != nil {
		b.head.Store(nil)
	}
}

// Moved remembers that the branch is at a commit, and that RefHead says so.
func (b *Branch) Moved(commit string) { b.head.Store(&commit) }

// again makes the branch again after somebody deleted it, and returns where it is, "" for nowhere.
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
