package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	gosync "sync"

	"ocaptain/sync/worktree"
)

// Where the files of another tree lie ready, and the index that goes with them, inside the git directory.
const (
	stageDir  = "ocaptain/stage"
	nextIndex = "ocaptain/index.next"
)

// forth changes the files from one tree, which the private index must hold, to another. It fails, with nothing touched,
// when a file that would change differs from the private index or an untracked one is in the way.
//
// Git writes the files aside, never into the tree itself: one that is killed or finds no room there would leave half of
// a file, which nobody could tell from an edit. From there each takes its place whole. When that is cut short, back
// undoes what was done; a ref must say what was under way.
func (t tree) forth(ctx context.Context, from, to string) (touched bool, err error) {
	brought, err := t.changes(ctx, from, to)
	if err != nil || len(brought) == 0 {
		return false, err
	}
	changes := make([]worktree.Change, 0, len(brought))
	for path, c := range brought {
		changes = append(changes, worktree.Change{Path: path, Kind: c.kind()})
	}
	if err := worktree.Look(t.dir, changes); err != nil {
		return false, err
	}
	if t.captains { // git would take ignored files for worthless
		known := func(path string) bool { return brought[path].was.there() }
		if paths := worktree.Blocked(changes, known); len(paths) > 0 {
			return false, &inTheWay{paths}
		}
	}
	if err := t.prepareBoth(ctx, from, to); err != nil {
		return false, errors.Join(err, t.unstage())
	}
	// From here on the tree changes: finish even when the caller has lost interest.
	ctx = context.WithoutCancel(ctx)
	touched, err = worktree.Apply(t.dir, t.path(stageDir), changes, t.captains)
	if errors.Is(err, worktree.ErrChanged) {
		err = &stuck{err}
	}
	if err != nil {
		return touched, errors.Join(err, t.unstage())
	}
	if err := os.Rename(t.path(nextIndex), t.path(privateIndex)); err != nil {
		return true, err
	}
	if err := t.refresh(ctx); err != nil {
		return true, err
	}
	return true, t.unstage()
}

// prepareBoth has git see whether the tree can change from one to the other, and lay the files ready.
func (t tree) prepareBoth(ctx context.Context, from, to string) error {
	stage, err := t.stageFor()
	if err != nil {
		return err
	}
	var checked, staged error
	var wg gosync.WaitGroup
	wg.Go(func() { staged = stage.quiet(ctx, "read-tree", "-m", "-u", from, to) })
	checked = t.quiet(ctx, "read-tree", "-n", "-m", "-u", from, to)
	wg.Wait()
	return errors.Join(checked, staged)
}

// stageFor returns an empty tree with a copy of the private index: to git all its files are gone, so it writes those
// that change, and nothing is in its way.
func (t tree) stageFor() (repo, error) {
	if err := t.unstage(); err != nil {
		return repo{}, err
	}
	r := t.repo
	r.dir = t.path(stageDir)
	if err := os.Mkdir(r.dir, 0o777); err != nil {
		return repo{}, err
	}
	next := t.path(nextIndex)
	return r.indexed(next), copyFile(t.path(privateIndex), next)
}

// unstage removes what lies ready.
func (t tree) unstage() error {
	if err := os.RemoveAll(t.path(stageDir)); err != nil {
		return fmt.Errorf("staged files: %w", err)
	}
	for _, name := range []string{nextIndex, nextIndex + ".lock"} {
		if err := os.Remove(t.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("staged files: %w", err)
		}
	}
	return nil
}

// refresh has the private index know the files as they are on the disk, where their content is the same.
func (t tree) refresh(ctx context.Context) error {
	err := t.quiet(ctx, "update-index", "-q", "--refresh")
	if exitCode(err) == 1 { // some have another content
		return nil
	}
	return err
}

// back brings files that are partly as in to, after a forth that was cut short, to what they are in from. What
// somebody edited meanwhile stays. The private index must hold one or the other, and holds what the tree does then.
func (t tree) back(ctx context.Context, from, to string) error {
	if _, _, err := t.stage(ctx); err != nil {
		return err
	}
	files, err := t.write(ctx)
	if err != nil {
		return err
	}
	was, err := t.without(ctx, files, from, to)
	if err != nil {
		return err
	}
	if _, err := t.forth(ctx, files, was); err != nil {
		return fmt.Errorf("bring the files back: %w", err)
	}
	return nil
}

// without returns the tree files, which the private index must hold, with each file that is as in pending put back to
// what it is in from.
func (t tree) without(ctx context.Context, files, from, pending string) (string, error) {
	brought, err := t.changes(ctx, from, pending)
	if err != nil {
		return "", err
	}
	edited, err := t.changes(ctx, pending, files)
	if err != nil {
		return "", err
	}
	var gone, back strings.Builder
	for path, c := range brought {
		switch _, kept := edited[path]; {
		case kept:
		case c.was.there():
			fmt.Fprintf(&back, "%s %s\t%s\x00", c.was.mode, c.was.id, path)
		default:
			fmt.Fprintf(&gone, "0 %s\t%s\x00", c.was.id, path)
		}
	}
	if err := t.unstage(); err != nil { // a git that was killed leaves its lock beside the index
		return "", err
	}
	next := t.path(nextIndex)
	if err := copyFile(t.path(privateIndex), next); err != nil {
		return "", err
	}
	u := tree{repo: t.indexed(next)}
	if err := u.do(ctx, strings.NewReader(gone.String()+back.String()), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return u.write(ctx)
}

// inTheWay is the error of bringing files where the captain has others that git does not know.
type inTheWay struct{ paths []string }

func (i *inTheWay) Error() string {
	return fmt.Sprintf("%d files that git does not know are in the way", len(i.paths))
}

// object is what a tree has at a path.
type object struct{ mode, id string }

func (o object) there() bool { return o.mode != "000000" }

// change is a path in which two trees differ.
type change struct{ was, is object }

func (c change) kind() worktree.Kind {
	const submodule = "160000"
	switch {
	case c.is.mode == submodule:
		return worktree.Dir
	case c.is.there():
		return worktree.Write
	case c.was.mode == submodule:
		return worktree.Leave
	}
	return worktree.Remove
}

// changes lists the files in which two trees differ.
func (r repo) changes(ctx context.Context, from, to string) (map[string]change, error) {
	b, err := r.bytes(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	all := map[string]change{}
	fields := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, errors.New("git diff-tree: malformed record")
		}
		all[fields[i+1]] = change{object{f[0], f[2]}, object{f[1], f[3]}}
	}
	return all, nil
}
