package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	gosync "sync"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/worktree"
)

// Paths inside the git directory of the files that Forth will move into the tree, and of their index.
const (
	stageDir  = "ocaptain/stage"
	NextIndex = "ocaptain/index.next"
)

// Forth changes the working tree's files from one tree object to another. The private index must match from. If a
// file to change differs from the private index, or an untracked file is in the way, Forth fails and touches nothing.
//
// Git writes the files into stageDir: if git were killed, or the disk full, half a file in the tree would look like
// an edit. Then Forth renames each file into its place. If Forth is interrupted, Back undoes its changes; the caller
// must have recorded the change in a ref before.
func (t Tree) Forth(ctx context.Context, from, to string) (touched bool, err error) {
	brought, err := t.Changes(ctx, from, to)
	if err != nil || len(brought) == 0 {
		return false, err
	}
	changes := make([]worktree.Change, 0, len(brought))
	for path, c := range brought {
		changes = append(changes, worktree.Change{Path: path, Kind: changeKind(c)})
	}
	if err := worktree.NoteCurrent(t.Dir, changes); err != nil {
		return false, err
	}
	if t.Captains { // git would overwrite ignored files
		known := func(path string) bool { return brought[path].Before.Exists() }
		if paths := worktree.Blocked(changes, known); len(paths) > 0 {
			return false, &InTheWay{paths}
		}
	}
	next, err := t.prepare(ctx, from, to, changes, brought)
	if err != nil {
		return false, errors.Join(err, t.Unstage())
	}
	// From here on the tree changes: finish even if ctx ends.
	ctx = context.WithoutCancel(ctx)
	touched, err = worktree.ApplyChanges(t.Dir, t.Path(stageDir), changes, t.Captains)
	if errors.Is(err, worktree.ErrChanged) {
		err = &Stuck{Err: err}
	}
	if err != nil {
		return touched, errors.Join(err, t.Unstage())
	}
	noted := t.noteBrought(changes, next)
	if noted != nil && next != nil {
		return true, fmt.Errorf("index of the tree: %w", noted)
	}
	if err := os.Rename(t.Path(NextIndex), t.Path(PrivateIndex)); err != nil {
		return true, err
	}
	if noted != nil {
		if err := t.refresh(ctx); err != nil {
			return true, err
		}
	}
	return true, t.Unstage()
}

// prepare writes the files of to into stageDir and checks that the tree can change from one to the other. It returns
// the index of to, nil if git has written it as NextIndex.
func (t Tree) prepare(ctx context.Context, from, to string, changes []worktree.Change, brought map[string]git.Change) (*index, error) {
	x := t.known(changes, brought)
	if x != nil {
		if next := t.stageFew(ctx, to, brought, x); next != nil {
			return next, nil
		}
	}
	stage, err := t.stageFor()
	if err != nil {
		return nil, err
	}
	if x != nil {
		return nil, stage.Run(ctx, "read-tree", "-m", "-u", from, to)
	}
	var checked, staged error
	var wg gosync.WaitGroup
	wg.Go(func() { staged = stage.Run(ctx, "read-tree", "-m", "-u", from, to) })
	checked = t.Run(ctx, "read-tree", "-n", "-m", "-u", from, to)
	wg.Wait()
	return nil, errors.Join(checked, staged)
}

// stageFor returns an empty working tree with a copy of the private index. There git writes the files that change,
// and no other file is in its way.
func (t Tree) stageFor() (git.Repo, error) {
	if err := t.Unstage(); err != nil {
		return git.Repo{}, err
	}
	r := t.Repo
	r.Dir = t.Path(stageDir)
	if err := os.Mkdir(r.Dir, 0o777); err != nil {
		return git.Repo{}, err
	}
	next := t.Path(NextIndex)
	return r.WithIndex(next), CopyFile(t.Path(PrivateIndex), next)
}

// Unstage removes stageDir and its index.
func (t Tree) Unstage() error {
	if err := os.RemoveAll(t.Path(stageDir)); err != nil {
		return fmt.Errorf("staged files: %w", err)
	}
	for _, name := range []string{NextIndex, NextIndex + ".lock"} {
		if err := os.Remove(t.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("staged files: %w", err)
		}
	}
	return nil
}

// refresh updates times and sizes in the private index for files with unchanged content.
func (t Tree) refresh(ctx context.Context) error {
	err := t.Run(ctx, "update-index", "-q", "--refresh")
	if git.ExitCode(err) == 1 { // some files have other content
		return nil
	}
	return err
}

// Back undoes an interrupted Forth: files that are as in to become as in from. Files that were edited meanwhile stay.
// The private index must match from or to; afterwards it matches the tree.
func (t Tree) Back(ctx context.Context, from, to string) error {
	if _, _, err := t.Stage(ctx); err != nil {
		return err
	}
	files, err := t.Write(ctx)
	if err != nil {
		return err
	}
	was, err := t.without(ctx, files, from, to)
	if err != nil {
		return err
	}
	if _, err := t.Forth(ctx, files, was); err != nil {
		return fmt.Errorf("bring the files back: %w", err)
	}
	return nil
}

// without returns the tree object files, which the private index must match, with each file that is as in pending
// replaced by the one of from.
func (t Tree) without(ctx context.Context, files, from, pending string) (string, error) {
	brought, err := t.Changes(ctx, from, pending)
	if err != nil {
		return "", err
	}
	edited, err := t.Changes(ctx, pending, files)
	if err != nil {
		return "", err
	}
	var gone, back strings.Builder
	for path, c := range brought {
		switch _, kept := edited[path]; {
		case kept:
		case c.Before.Exists():
			fmt.Fprintf(&back, "%s %s\t%s\x00", c.Before.Mode, c.Before.ID, path)
		default:
			fmt.Fprintf(&gone, "0 %s\t%s\x00", c.Before.ID, path)
		}
	}
	if err := t.Unstage(); err != nil { // a killed git leaves its lock beside the index
		return "", err
	}
	next := t.Path(NextIndex)
	if err := CopyFile(t.Path(PrivateIndex), next); err != nil {
		return "", err
	}
	u := Tree{Repo: t.WithIndex(next), Oid: t.Oid}
	if err := u.Stream(ctx, strings.NewReader(gone.String()+back.String()), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return u.Write(ctx)
}

// InTheWay is the error of a Forth that would overwrite untracked files of the captain's.
type InTheWay struct{ Paths []string }

func (i *InTheWay) Error() string {
	return fmt.Sprintf("%d files that git does not know are in the way", len(i.Paths))
}

// submodule is the mode of a submodule in a tree.
const submodule = "160000"

// changeKind returns what a change does to the file of a working tree.
func changeKind(c git.Change) worktree.Kind {
	switch {
	case c.After.Mode == submodule:
		return worktree.Dir
	case c.After.Exists():
		return worktree.Write
	case c.Before.Mode == submodule:
		return worktree.Leave
	}
	return worktree.Remove
}

// ErrMoved means that the branch or the captain's tree changed while the hub was about to move the branch: try again.
var ErrMoved = errors.New("the captain's tree keeps changing: try again")

// Stuck is an error of Forth whose cause may be that the captain saved a file at that moment.
type Stuck struct{ Err error }

// Error returns the text of Err.
func (s *Stuck) Error() string { return s.Err.Error() }

// Unwrap returns Err.
func (s *Stuck) Unwrap() error { return s.Err }

// Is makes a Stuck an ErrMoved, so that callers try again.
func (s *Stuck) Is(target error) bool { return target == ErrMoved }
