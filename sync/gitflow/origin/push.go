package origin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// RefusedPush is the error of a push that the source rejected.
type RefusedPush struct {
	Branch string // its name at the source
	Taken  bool   // the source's branch has commits that the pushed commit lacks
	why    string // git's reason
}

func (r *RefusedPush) Error() string {
	if r.Taken {
		return "the repository has other work on " + r.Branch
	}
	return r.why
}

// Push pushes a branch of the clone at dir to the source, under the name as. It moves an existing branch only by
// fast-forward. As in Fetch, only the transfer runs with the captain's own git settings and credentials, and no hook
// runs. The error is a *RefusedPush if the source answered and rejected the push.
func Push(ctx context.Context, dir, source, branch, as string, opts Options) error {
	for _, name := range []string{branch, as} {
		if !git.IsBranchName(name) {
			return BadBranch(name)
		}
	}
	r, source, err := openBoth(dir, source)
	if err != nil {
		return err
	}
	if err := push(ctx, r, source, refHeads+branch, as, opts); err != nil {
		return fmt.Errorf("push %s to %s: %w", branch, git.PlainText(source), err)
	}
	return nil
}

// PushCommit is Push for a commit of the clone at dir.
func PushCommit(ctx context.Context, dir, source, commit, as string, opts Options) error {
	if !git.IsBranchName(as) {
		return BadBranch(as)
	}
	r, source, err := openBoth(dir, source)
	if err != nil {
		return err
	}
	if err := push(ctx, r, source, commit, as, opts); err != nil {
		return fmt.Errorf("push to %s of %s: %w", as, git.PlainText(source), err)
	}
	return nil
}

// PushRefs pushes refspecs of the clone at dir whose targets are refs that git.IsKeepable allows.
func PushRefs(ctx context.Context, dir, source string, specs []string, opts Options) error {
	source, err := cleanSource(source)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		if _, ref, _ := strings.Cut(spec, ":"); !git.IsKeepable(ref) {
			return fmt.Errorf("ref %q: must be a plain name under %s", git.PlainText(ref), git.RefsAll)
		}
	}
	args := append([]string{"push", "-q", "--no-verify", "--no-recurse-submodules", "--", source}, specs...)
	if err := transfer(ctx, dir, nil, opts, args...); err != nil {
		return fmt.Errorf("push to %s: %w", git.PlainText(source), err)
	}
	return nil
}

// openBoth returns the clone at dir, and the source as cleanSource returns it.
func openBoth(dir, source string) (r git.Repo, address string, err error) {
	if address, err = cleanSource(source); err == nil {
		r, err = git.Open(dir)
	}
	return r, address, err
}

// push pushes what, a ref or commit of the clone, to a branch of the source.
func push(ctx context.Context, r git.Repo, source, what, as string, opts Options) error {
	out := bounded.Refuse(git.MaxOutput)
	err := transfer(ctx, r.Dir, out, opts, "push", "--porcelain", "--no-verify", "--no-recurse-submodules", "--", source, what+":"+refHeads+as)
	if err == nil {
		return nil
	}
	for line := range strings.Lines(out.String()) { // a rejected ref: "!", the refs and the reason
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 && fields[0] == "!" {
			err = &RefusedPush{Branch: as, Taken: hasOther(ctx, r, source, what, as, opts), why: git.PlainText(fields[2])}
		}
	}
	return err
}

// hasOther reports whether the source's branch as has commits that what does not include.
func hasOther(ctx context.Context, r git.Repo, source, what, as string, opts Options) bool {
	has, err := listRefs(ctx, r.Dir, source, opts, refHeads+as)
	at := has[refHeads+as]
	return err == nil && at != "" && r.Run(ctx, "merge-base", "--is-ancestor", at, what) != nil
}

// pushTries is how often PushFree looks for a free name: others may take a name before it pushes.
const pushTries = 5

// PushFree is Push under the first of the names branch, branch-2, branch-3 and so on that is free at the source, or
// already at this commit. It returns the name.
func PushFree(ctx context.Context, dir, source, branch string, opts Options) (as string, err error) {
	var refused *RefusedPush
	for range pushTries {
		if as, err = freeName(ctx, dir, source, branch, opts); err != nil {
			return "", err
		}
		if err = Push(ctx, dir, source, branch, as, opts); !errors.As(err, &refused) || !refused.Taken {
			break
		}
	}
	return as, err
}

func freeName(ctx context.Context, dir, source, branch string, opts Options) (string, error) {
	source, err := cleanSource(source)
	if err != nil {
		return "", err
	}
	r, err := git.Open(dir)
	if err != nil {
		return "", err
	}
	own, err := r.Resolve(ctx, refHeads+branch)
	if err != nil {
		return "", fmt.Errorf("push %s: %w", git.PlainText(branch), err)
	}
	has, err := listRefs(ctx, dir, source, opts, refHeads+branch, refHeads+branch+"-*")
	if err != nil {
		return "", err
	}
	as := branch
	for n := 2; has[refHeads+as] != "" && has[refHeads+as] != own[0]; n++ {
		as = fmt.Sprintf("%s-%d", branch, n)
	}
	return as, nil
}
