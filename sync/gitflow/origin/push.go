package origin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// RefusedPush is the error of a push that the source has turned down.
type RefusedPush struct {
	Branch string // the name at the source
	Taken  bool   // the source has other work under this name
	why    string // as git words it
}

func (r *RefusedPush) Error() string {
	if r.Taken {
		return "the repository has other work on " + r.Branch
	}
	return r.why
}

// Push brings a branch of the clone at dir to the source, under the name as. A branch that the source has already moves only when no
// commit of it is lost. As in Fetch, only the transfer runs with the captain's own git settings and credentials, and no hook runs. Its
// error is a *RefusedPush when the source was reached and has turned the branch down.
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

// PushCommit pushes a commit of the clone at dir as Push pushes a branch.
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

// PushRefs pushes what refspecs of the clone at dir say, about refs that are no branches.
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

// openBoth returns the clone at dir, and the address of the source as git may be given it.
func openBoth(dir, source string) (r git.Repo, address string, err error) {
	if address, err = cleanSource(source); err == nil {
		r, err = git.Open(dir)
	}
	return r, address, err
}

// push pushes what a name of the clone stands for to a branch of the source.
func push(ctx context.Context, r git.Repo, source, what, as string, opts Options) error {
	out := bounded.Refuse(git.MaxOutput)
	err := transfer(ctx, r.Dir, out, opts, "push", "--porcelain", "--no-verify", "--no-recurse-submodules", "--", source, what+":"+refHeads+as)
	if err == nil {
		return nil
	}
	for line := range strings.Lines(out.String()) { // what the source says to the branch, "!", the refs and why not
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 && fields[0] == "!" {
			err = &RefusedPush{Branch: as, Taken: hasOther(ctx, r, source, what, as, opts), why: git.PlainText(fields[2])}
		}
	}
	return err
}

// hasOther reports whether the source has commits under the name as that the commit what lacks.
func hasOther(ctx context.Context, r git.Repo, source, what, as string, opts Options) bool {
	has, err := listRefs(ctx, r.Dir, source, opts, refHeads+as)
	at := has[refHeads+as]
	return err == nil && at != "" && r.Run(ctx, "merge-base", "--is-ancestor", at, what) != nil
}

// pushTries is how often PushFree looks for a name: others may take the names that it finds.
const pushTries = 5

// PushFree pushes a branch as Push does, under the first name of branch, branch-2, branch-3 and so on that the source has free, or has
// this very work on. It returns the name.
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
