// Package workspace handles the captain's working tree: it commits the captain's edits in his name, and updates the
// files when the branch moves.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/upkeep"
	"ocaptain/sync/holders"
	"ocaptain/sync/whole"
	"ocaptain/sync/worktree"
)

// midway means that the captain is in the middle of a git operation that a new commit on the branch would spoil.
type midway struct{ *sync.Hindered }

func (m *midway) Unwrap() error { return m.Hindered }

// Workspace is the captain's tree in a clone.
type Workspace struct {
	Options
	branch  *branch.Branch
	repo    git.Repo
	upkeep  *upkeep.Upkeep
	working git.Turn // held by the call that touches the tree
}

// Options shape a Workspace.
type Options struct {
	Limits git.Limits
	Format string // object format: sha1 or sha256
	Shared bool   // ships work in this tree too, so that edits are not the captain's alone
}

// New returns the Workspace of a branch's clone.
func New(b *branch.Branch, repo git.Repo, u *upkeep.Upkeep, opts Options) *Workspace {
	return &Workspace{Options: opts, branch: b, repo: repo, upkeep: u, working: git.NewTurn()}
}

// Tree is the captain's tree while a call holds it.
type Tree struct {
	staging.Tree
	of     *Workspace
	copied os.FileInfo // stat of the captain's index at its last copy
}

// Take locks the captain's tree until release is called, and repairs what a crash left. The lock is only against
// other hubs and calls; the captain goes on working.
func (s *Workspace) Take(ctx context.Context) (w *Tree, release func(), err error) {
	if err := s.working.Take(ctx); err != nil {
		return nil, nil, err
	}
	undo := []func(){s.working.Give}
	free := func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	keep, err := s.upkeep.KeepObjects(ctx)
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, keep)
	if err := whole.MakeDir(s.repo.Path("ocaptain"), 0, 0o777); err != nil {
		return nil, nil, err
	}
	hold, err := git.LockDir(ctx, s.repo.Path("ocaptain"))
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, func() { hold.Close() })
	r := s.repo
	r.Hold = hold
	if r, err = r.Disarm(ctx); err != nil {
		return nil, nil, err
	}
	t, err := staging.PrivateTree(r, s.Limits, s.Format)
	if err != nil {
		return nil, nil, err
	}
	t.Captains = true
	w = &Tree{Tree: t, of: s}
	if err := w.recover(ctx); err != nil {
		return nil, nil, fmt.Errorf("settle what was cut short: %w", err)
	}
	return w, free, nil
}

// Gather commits the captain's edits and returns the head of the branch then.
func (s *Workspace) Gather(ctx context.Context) (head string, notes []string, err error) {
	w, release, err := s.Take(ctx)
	if err != nil {
		return "", nil, err
	}
	defer release()
	return w.Gather(ctx)
}

// look compares the captain's files with a copy of the captain's index. away is the reason why the hub must not touch
// the files, if any.
func (w *Tree) look(ctx context.Context) (st staging.Status, away string, err error) {
	if err := w.copyIndex(); err != nil {
		return st, "", err
	}
	if st, err = w.Tree.Look(ctx); err != nil {
		return st, "", err
	}
	away, err = w.handsOff(st.Branch, st.Unmerged)
	return st, away, err
}

// handsOff returns why the hub must not touch the captain's files: away if another branch is checked out, an error while
// a git operation is under way.
func (w *Tree) handsOff(branch string, unmerged bool) (away string, err error) {
	if branch != w.of.branch.Ref() {
		return fmt.Sprintf("%s is not on branch %s: its files were left as they are", w.Dir, w.of.branch.Name()), nil
	}
	word := w.Operation()
	if word == "" && unmerged {
		word = "merge"
	}
	if word != "" {
		return "", &midway{&sync.Hindered{Why: fmt.Sprintf("a %s is under way on %s in %s: finish or abort it, then the work can come home", word, w.of.branch.Name(), w.Dir)}}
	}
	return "", nil
}

// copyIndex makes the private index a copy of the captain's.
func (w *Tree) copyIndex() (err error) {
	if w.copied, err = os.Stat(w.Path("index")); err != nil {
		return err
	}
	return staging.CopyFile(w.Path("index"), w.Path(staging.PrivateIndex))
}

// current reports whether the captain's index is still the index that was copied.
func (w *Tree) current() bool {
	now, err := os.Stat(w.Path("index"))
	return err == nil && w.copied != nil && os.SameFile(now, w.copied) && now.ModTime().Equal(w.copied.ModTime()) && now.Size() == w.copied.Size()
}

// headPatience bounds the wait for git commands that may be about to write HEAD, which takes seconds on a busy
// machine.
const headPatience = 10 * time.Second

// atOdds is an error after which the captain's index, files and branch do not agree.
type atOdds struct{ error }

func (a *atOdds) Unwrap() error { return a.error }

// Locked makes a call while the index is locked, so that the captain's git can change neither index nor files. If the
// call fails with *atOdds, or this process dies, the lock stays: otherwise the captain's next commit would include
// the branch's changes as his own. The next Take makes branch, index and files agree.
func (w *Tree) Locked(ctx context.Context, call func() error) error {
	release, err := w.LockIndex(ctx)
	if err != nil {
		return err
	}
	// Git removes its index lock before it writes HEAD. Between the two steps, the files of one branch would look
	// like edits on another.
	if err := w.awaitGit(ctx); err != nil {
		release()
		return err
	}
	err = call()
	var odd *atOdds
	if errors.As(err, &odd) {
		return err
	}
	// Git reads the index before it locks it: keep the lock until no git that read the old index runs.
	_ = w.awaitGit(ctx)
	release()
	return err
}

// awaitGit waits for the end of git commands that the captain runs now. A later command finds the index locked.
func (w *Tree) awaitGit(ctx context.Context) error {
	at := holders.Writers(w.Dir)
	for began := time.Now(); len(at) > 0 && time.Since(began) < headPatience; {
		if err := git.Pause(ctx, began); err != nil {
			return err
		}
		still := holders.Writers(w.Dir)
		at = slices.DeleteFunc(at, func(p string) bool { return !slices.Contains(still, p) })
	}
	return nil
}

// install replaces the captain's index by the private index. The captain's index must be locked.
func (w *Tree) install() error {
	w.copied = nil
	if err := worktree.Install(w.Path(staging.PrivateIndex), w.Path("index")); err != nil {
		return &atOdds{err}
	}
	return nil
}

// Gather commits the captain's edits as the captain's and returns the head of the branch then.
func (w *Tree) Gather(ctx context.Context) (head string, notes []string, err error) {
	if w.of.Shared { // edits in a shared tree are not the captain's alone
		head, err = w.of.branch.Head(ctx)
		return head, nil, err
	}
	for range 5 {
		head, notes, err = w.gatherOnce(ctx)
		if !errors.Is(err, staging.ErrMoved) {
			return head, notes, err
		}
	}
	return head, notes, err
}

func (w *Tree) gatherOnce(ctx context.Context) (string, []string, error) {
	st, away, err := w.look(ctx)
	if err != nil {
		return "", nil, err
	}
	if away != "" {
		head, err := w.of.branch.Head(ctx)
		return head, []string{away}, err
	}
	var notes []string
	w.Busy = nil
	for _, l := range w.Sift(&st) {
		notes = append(notes, l.Note(w.Limits.File))
	}
	rested, busy, err := w.unsettled(ctx, st.Write)
	if err != nil {
		return "", nil, err
	}
	w.Busy = busy
	if w.Sift(&st); !st.Staged && !st.Dirty() {
		return st.Commit, notes, nil
	}
	var head string
	err = w.Locked(ctx, func() (err error) {
		head, err = w.commit(ctx, rested)
		return err
	})
	return head, notes, err
}

// commit commits the captain's complete edits. The captain's index must be locked.
func (w *Tree) commit(ctx context.Context, rested map[string]staging.Sight) (string, error) {
	st, err := w.stageRested(ctx, rested)
	if err != nil {
		return "", err
	}
	// Meanwhile the captain may have begun a merge.
	if _, err := w.handsOff(st.Branch, st.Unmerged); err != nil {
		return "", err
	}
	files, err := w.Write(ctx)
	if err != nil {
		return "", err
	}
	known, err := w.Resolve(ctx, w.of.branch.Ref()+"^{commit}", w.of.branch.Ref()+"^{tree}")
	if err != nil {
		return "", err
	}
	head := known[0]
	if st.Branch != w.of.branch.Ref() || st.Commit != head {
		return "", staging.ErrMoved
	}
	if files != known[1] {
		if head, err = w.WriteCommit(git.Commit{Tree: files, Parents: []string{st.Commit}, Message: "captain: edits in workspace"}); err != nil {
			return "", err
		}
		if err := w.move(ctx, st.Commit, head, nil, nil); err != nil {
			return "", err
		}
	}
	return head, w.install()
}

// move moves the branch from one commit to another. It updates the refs in before first, then the branch, then the
// refs in after. The error is staging.ErrMoved if the branch was no longer at from.
func (w *Tree) move(ctx context.Context, from, to string, before, after []string) error {
	ctx = context.WithoutCancel(ctx) // this call must learn whether the branch moved
	after = append(slices.Clone(after), "update "+git.RefHead+" "+to)
	err := w.UpdateRefs(ctx, slices.Concat(before, []string{"update " + w.of.branch.Ref() + " " + to + " " + from}, after)...)
	if err == nil {
		w.of.branch.Moved(to)
		return nil
	}
	head, headErr := w.of.branch.Head(ctx)
	switch {
	case headErr != nil:
		return &atOdds{errors.Join(err, headErr)}
	case head == to: // git was killed after it had moved the branch
		if err := w.UpdateRefs(ctx, after...); err != nil {
			return &atOdds{err}
		}
		return nil
	case head != from:
		return staging.ErrMoved
	}
	return err
}

// Advance moves the branch from one commit to another, and changes the captain's files accordingly. If the captain
// changed something meanwhile, Advance changes nothing and returns staging.ErrMoved.
//
// It changes the files first, while the index is locked and RefPending names the new commit, then moves the branch.
// So the branch is the truth at any moment: if this process dies in between, recover changes the files back.
//
// before and after are further ref updates, as for move.
func (w *Tree) Advance(ctx context.Context, from, to string, before, after []string) (away string, err error) {
	err = w.Locked(ctx, func() error {
		if away, err = w.ready(ctx, from); err != nil {
			return err
		}
		if away != "" {
			return w.move(ctx, from, to, before, after)
		}
		return w.advanceFiles(ctx, from, to, before, after)
	})
	return away, err
}

// advanceFiles is the part of Advance that changes the captain's files and moves the branch. The captain's index must be
// locked.
func (w *Tree) advanceFiles(ctx context.Context, from, to string, before, after []string) error {
	if err := w.UpdateRefs(ctx, append(before, "update "+git.RefPending+" "+to)...); err != nil {
		return err
	}
	// From here on files and branch must change together: finish even if ctx ends.
	ctx = context.WithoutCancel(ctx)
	_, err := w.Forth(ctx, from, to)
	if err != nil {
		err = &staging.Stuck{Err: err}
	} else {
		err = w.move(ctx, from, to, nil, append(after, "delete "+git.RefPending))
	}
	var odd *atOdds
	switch {
	case errors.As(err, &odd):
		return err
	case err != nil:
		return errors.Join(err, w.undo(ctx, true))
	}
	return w.install()
}

// ready checks that the captain's files are at commit from, and makes the private index agree. If the captain's index
// is unchanged since the last look, ready does not look again: Forth notices later edits.
func (w *Tree) ready(ctx context.Context, from string) (away string, err error) {
	if w.current() {
		branch, err := w.Head(ctx)
		if err != nil {
			return "", err
		}
		return w.handsOff(branch, false)
	}
	st, away, err := w.look(ctx)
	if err != nil || away != "" {
		return away, err
	}
	if st.Commit != from || st.Staged {
		return "", staging.ErrMoved
	}
	return "", nil
}
