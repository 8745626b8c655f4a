// Package upstream keeps a clone's branch in step with the branch of the same name in a repository that several hubs
// share: it fetches that branch, and pushes only commits that include all that other hubs have pushed.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	stdsync "sync"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/workspace"
)

// transferTime bounds a fetch or push. A transfer that takes longer than quickTime goes on only if the repository answers a question within
// answerTime: where packets vanish, git may wait minutes for a connection.
const (
	transferTime = 5 * time.Minute
	answerTime   = 15 * time.Second
)

var quickTime = 10 * time.Second

// bringTries is how often Bring tries while others move one of the two branches.
const bringTries = 20

// Options say where the shared repository is.
type Options struct {
	Source string // address of the repository, "" for none
	Token  string // for https to GitHub, "" for the captain's own login
}

// Upstream is the branch of a shared repository. Its methods are safe for concurrent use.
type Upstream struct {
	options Options
	branch  *branch.Branch
	repo    git.Repo

	fetching git.Turn
	served   uint64 // number of the last Fetch call that a finished fetch has served; guarded by fetching
	at       string // commit that this fetch found; guarded by fetching

	mu    stdsync.Mutex
	calls uint64 // Fetch calls so far
}

// New returns the upstream of a branch, nil for Options without a source.
func New(b *branch.Branch, repo git.Repo, o Options) *Upstream {
	if o.Source == "" {
		return nil
	}
	return &Upstream{options: o, branch: b, repo: repo, fetching: git.NewTurn()}
}

// login returns the options with which git reaches the repository.
func (u *Upstream) login() origin.Options {
	return origin.Options{Token: u.options.Token, Silent: true}
}

// Fetch fetches the shared branch and returns its commit, "" while there is no such branch. Concurrent calls share
// one fetch, which starts after all of them were made.
func (u *Upstream) Fetch(ctx context.Context) (string, error) {
	mine := u.count(1)
	if err := u.fetching.Take(ctx); err != nil {
		return "", err
	}
	defer u.fetching.Give()
	if u.served >= mine {
		return u.at, nil
	}
	upTo, at := u.count(0), ""
	err := u.transfer(ctx, func(ctx context.Context) (err error) {
		at, err = origin.FetchBranch(ctx, u.repo.Dir, u.options.Source, u.branch.Name(), git.RefUpstream, u.login())
		return err
	})
	if err != nil {
		return "", hindered(ctx, err)
	}
	u.served, u.at = upTo, at
	return at, nil
}

func (u *Upstream) count(n uint64) uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls += n
	return u.calls
}

// transfer carries out a fetch or push within its time limits.
func (u *Upstream) transfer(ctx context.Context, do func(context.Context) error) error {
	limit, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	limit, giveUp := context.WithCancelCause(limit)
	defer giveUp(nil)
	defer time.AfterFunc(quickTime, func() {
		if err := u.answers(limit); err != nil {
			giveUp(err)
		}
	}).Stop()
	return do(limit)
}

// answers returns an error if the shared repository does not answer a question.
func (u *Upstream) answers(ctx context.Context) error {
	limit, cancel := context.WithTimeoutCause(ctx, answerTime, errNoAnswer)
	defer cancel()
	_, err := origin.ListRefs(limit, u.repo.Dir, u.options.Source, git.RefUpstream, u.login())
	if errors.Is(err, errNoAnswer) {
		return errNoAnswer
	}
	return err
}

var errNoAnswer = fmt.Errorf("no answer within %s", answerTime)

// hindered returns a *sync.Hindered that blames the shared repository, or err itself if ctx has ended or others have moved the branch.
func hindered(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, staging.ErrMoved) {
		return err
	}
	return &sync.Hindered{Why: "the repository that hubs share does not take part: " + err.Error(), Err: err}
}

// pushTries is how often Push repeats a push that the repository refuses although the push would lose no commit:
// another push may hold the lock of the branch.
const pushTries = 20

// Push moves the shared branch to commit. It fails with staging.ErrMoved when the shared branch has commits that
// commit does not include.
func (u *Upstream) Push(ctx context.Context, commit string) error {
	return hindered(ctx, u.transfer(ctx, func(ctx context.Context) error { return u.push(ctx, commit) }))
}

func (u *Upstream) push(ctx context.Context, commit string) (err error) {
	began := time.Now()
	for range pushTries {
		err = origin.PushCommit(ctx, u.repo.Dir, u.options.Source, commit, u.branch.Name(), u.login())
		refused, isRefused := errors.AsType[*origin.RefusedPush](err)
		switch {
		case !isRefused:
			return err
		case refused.Taken:
			return staging.ErrMoved
		}
		if git.Pause(ctx, began) != nil {
			break
		}
	}
	return err
}

// Share pushes commits to refs of the shared repository, so that other hubs can fetch them. For a ref with "" it
// deletes the ref.
func (u *Upstream) Share(ctx context.Context, refs map[string]string) error {
	var specs []string
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		spec := ":" + ref
		if commit := refs[ref]; commit != "" {
			spec = "+" + commit + spec
		}
		specs = append(specs, spec)
	}
	if len(specs) == 0 {
		return nil
	}
	return hindered(ctx, u.transfer(ctx, func(ctx context.Context) error {
		return origin.PushRefs(ctx, u.repo.Dir, u.options.Source, specs, u.login())
	}))
}

// Shared returns the refs of the shared repository that begin with prefix, each with its commit.
func (u *Upstream) Shared(ctx context.Context, prefix string) (refs map[string]string, err error) {
	err = u.transfer(ctx, func(ctx context.Context) (err error) {
		refs, err = origin.ListRefs(ctx, u.repo.Dir, u.options.Source, prefix, u.login())
		return err
	})
	return refs, hindered(ctx, err)
}

// Size returns the size on disk, in bytes, of the objects that a commit has and its parent lacks.
func (u *Upstream) Size(ctx context.Context, commit string) (int, error) {
	return u.repo.Number(ctx, "rev-list", "--objects", "--disk-usage", commit, "--not", commit+"^1")
}

// Get fetches a shared commit and points a ref of the clone at it, unless the clone has the commit. The error is a
// *sync.Hindered, except if the shared repository no longer has the commit.
func (u *Upstream) Get(ctx context.Context, commit, ref string) error {
	if u.branch.Has(ctx, commit) {
		return nil
	}
	err := u.transfer(ctx, func(ctx context.Context) error {
		return origin.FetchCommit(ctx, u.repo.Dir, u.options.Source, commit, ref, u.login())
	})
	if err == nil {
		return nil
	}
	if refs, e := u.Shared(ctx, git.RefsAll); e == nil && !slices.Contains(slices.Collect(maps.Values(refs)), commit) {
		return fmt.Errorf("the repository that hubs share no longer has commit %.12s: %w", commit, err)
	}
	return hindered(ctx, err)
}

// Bring commits the captain's edits, merges and pushes until both branches are at the same commit, and returns that
// commit.
func (u *Upstream) Bring(ctx context.Context, ws *workspace.Workspace) (head string, notes []string, err error) {
	for range bringTries {
		head, notes, err = u.bring(ctx, ws)
		if !errors.Is(err, staging.ErrMoved) {
			break
		}
	}
	return head, notes, err
}

func (u *Upstream) bring(ctx context.Context, ws *workspace.Workspace) (string, []string, error) {
	theirs, err := u.Fetch(ctx)
	if err != nil {
		return "", nil, err
	}
	head, notes, err := u.adopt(ctx, ws, theirs)
	if err == nil && head != theirs {
		err = u.Push(ctx, head)
	}
	return head, notes, err
}

// adopt commits the captain's edits, moves the clone's branch to a commit that includes theirs, and returns that
// commit.
func (u *Upstream) adopt(ctx context.Context, ws *workspace.Workspace, theirs string) (string, []string, error) {
	w, release, err := ws.Take(ctx)
	if err != nil {
		return "", nil, err
	}
	defer release()
	head, notes, err := w.Gather(ctx)
	if err != nil || theirs == "" || theirs == head {
		return head, notes, err
	}
	holds, err := u.branch.Holds(ctx, head, theirs)
	if err != nil || holds {
		return head, notes, err
	}
	to := theirs
	behind, err := u.branch.Holds(ctx, theirs, head)
	if err == nil && !behind {
		to, err = u.merged(ctx, w, head, theirs)
	}
	if err != nil {
		return "", nil, err
	}
	away, err := w.Advance(ctx, head, to, nil, nil)
	if away != "" {
		notes = append(notes, away)
	}
	return to, notes, err
}

// merged makes a merge commit of ours, the clone's branch, and theirs, the shared branch.
func (u *Upstream) merged(ctx context.Context, w *workspace.Tree, ours, theirs string) (string, error) {
	base, err := w.Output(ctx, "merge-base", ours, theirs)
	if err != nil && git.ExitCode(err) != 1 {
		return "", err
	}
	if base == "" {
		return "", &sync.Hindered{Why: fmt.Sprintf("branch %s of the repository that hubs share has nothing in common with that of %s: put one of them right", u.branch.Name(), w.Dir)}
	}
	m, err := w.Merge(ctx, base, ours, theirs)
	if err != nil {
		return "", err
	}
	if len(m.Clashes) > 0 {
		var paths []string
		for _, c := range m.Clashes[:min(len(m.Clashes), 10)] {
			paths = append(paths, git.PlainText(c.Path))
		}
		return "", &sync.Hindered{Why: fmt.Sprintf("your commits in %s conflict with what other hubs merged, in %s: git -C %s pull %s %s, and resolve that", w.Dir, strings.Join(paths, ", "), w.Dir, git.PlainText(u.options.Source), u.branch.Name())}
	}
	return w.WriteCommit(git.Commit{Tree: m.Tree, Parents: []string{ours, theirs}, Message: "captain: merge the work of other hubs"})
}

// Find fetches, and returns the newest commit with a trailer on the shared branch, else on the clone's branch, else
// "".
func (u *Upstream) Find(ctx context.Context, key, value string) (string, error) {
	theirs, err := u.Fetch(ctx)
	if err != nil {
		return "", err
	}
	if theirs != "" {
		if found, err := u.branch.FindOn(ctx, theirs, key, value); found != "" || err != nil {
			return found, err
		}
	}
	return u.branch.Find(ctx, key, value)
}
