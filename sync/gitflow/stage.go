package gitflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/worktree"
)

// look compares the tree with the private index. Of a remote tree no file is read, which may be any size and change meanwhile.
func (t tree) look(ctx context.Context) (status, error) {
	if !t.captains {
		return t.lookFast(ctx)
	}
	b, err := t.Bytes(ctx, nil, statusArgs...)
	if err != nil {
		return status{}, err
	}
	return parseStatus(b)
}

// stage brings the private index to what the tree holds. It returns how they differed, and what had to be left out.
func (t tree) stage(ctx context.Context) (st status, lefts []left, err error) {
	for range 3 { // what was a file may be a directory by now
		if st, err = t.look(ctx); err != nil {
			return st, nil, err
		}
		var again bool
		if lefts, again, err = t.add(ctx, &st); err != nil {
			return st, nil, err
		}
		if !again {
			break
		}
	}
	return st, lefts, t.keepRules(&st)
}

// add stages the paths of st, except those that can't travel, which it takes out of st and returns. It tells whether to
// look again, as a file became something else.
func (t tree) add(ctx context.Context, st *status) (lefts []left, again bool, err error) {
	lefts = t.sift(st)
	if n := len(st.write) + len(st.remove); n > t.limits.Files {
		return nil, false, fmt.Errorf("%d files changed, more than the limit of %d: is a build directory missing in .gitignore, for example %s?", n, t.limits.Files, git.PlainText(first(st.write, st.remove)))
	}
	if gone := slices.Concat(st.remove, st.ignored); len(gone) > 0 {
		if err := t.change(ctx, gone, "--force-remove"); err != nil {
			return nil, false, err
		}
	}
	moving, err := t.addStill(ctx, st.write)
	if err != nil {
		return nil, false, err
	}
	for _, path := range moving {
		l, err := t.addCopy(ctx, path)
		switch {
		case errors.Is(err, errNoFile):
			again = true
		case err != nil:
			return nil, false, err
		case l.Kind != "":
			lefts = append(lefts, l)
		}
	}
	return lefts, again, nil
}

// mostMoving bounds how many files are copied one by one.
const mostMoving = 500

// addStill stages files that don't change meanwhile and returns the others.
func (t tree) addStill(ctx context.Context, files []string) (moving []string, err error) {
	for range 3 { // most changes are over soon
		if len(files) == 0 {
			return moving, nil
		}
		before := t.settled(ctx, files)
		refused, err := t.addAll(ctx, files)
		if err != nil {
			return nil, err
		}
		moving = append(moving, refused...)
		files = t.unlike(before, files)
	}
	if moving = append(moving, files...); len(moving) > mostMoving {
		return nil, fmt.Errorf("%d files keep changing, for example %s", len(moving), git.PlainText(moving[0]))
	}
	return distinct(moving...), nil
}

// addAll stages files as git does and returns those that git refuses, as it does when one vanishes or shrinks while it reads.
func (t tree) addAll(ctx context.Context, files []string) (refused []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	err = t.change(ctx, files, "--add", "--remove", "--replace")
	var failed *git.Error
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &failed):
		return nil, err
	case len(files) == 1:
		return files, t.writable(ctx)
	}
	half := len(files) / 2
	for _, part := range [][]string{files[:half], files[half:]} {
		more, err := t.addAll(ctx, part)
		if err != nil {
			return nil, err
		}
		if refused = append(refused, more...); len(refused) > mostMoving {
			return nil, fmt.Errorf("git refuses many files: %w", failed)
		}
	}
	return refused, nil
}

// writable tells whether git can store something at all: where it can't, no file is to blame.
func (t tree) writable(ctx context.Context) error {
	_, err := t.raw.Bytes(ctx, paths([]string{time.Now().String()}), "hash-object", "-w", "--stdin")
	return err
}

// change runs update-index on the private index with a list of files. Git leaves its lock when a file that it reads shrinks and
// the system kills it; this index is nobody else's.
func (t tree) change(ctx context.Context, files []string, how ...string) error {
	args := append([]string{"update-index", "-z"}, how...)
	err := t.raw.Stream(ctx, paths(files), nil, append(args, "--stdin")...)
	if err != nil {
		err = errors.Join(err, t.unlockIndex())
	}
	return err
}

func (t tree) unlockIndex() error {
	if err := os.Remove(t.Path(privateIndex) + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// clockStep is more than the finest step of the clock by which the system dates changes of files.
const clockStep = 20 * time.Millisecond

// sight is how a file was seen.
type sight struct {
	info  fs.FileInfo // nil for one that is not there or can't be looked at
	fresh bool        // it changed so recently that a further change might get the same date
}

// settled looks at files. When some changed just now it waits a moment first, so that most are no longer fresh.
func (t tree) settled(ctx context.Context, files []string) []sight {
	all, fresh := make([]sight, len(files)), true
	for n := 0; fresh && n < 2; n++ {
		if n > 0 {
			select {
			case <-time.After(clockStep):
			case <-ctx.Done():
			}
		}
		now := time.Now()
		fresh = false
		for i, f := range files {
			all[i] = sight{}
			if info, err := os.Lstat(filepath.Join(t.Dir, f)); err == nil {
				age := now.Sub(worktree.ChangeTime(info))
				all[i] = sight{info, age < clockStep && age > -clockStep}
				fresh = fresh || all[i].fresh
			}
		}
	}
	return all
}

// unlike returns the files that are not as they were seen, or may not be.
func (t tree) unlike(before []sight, files []string) []string {
	var moved []string
	for i, f := range files {
		now, err := os.Lstat(filepath.Join(t.Dir, f))
		was := before[i]
		switch {
		case err != nil && was.info == nil:
		case err != nil || was.info == nil || was.fresh, !os.SameFile(was.info, now), was.info.Size() != now.Size(),
			was.info.Mode() != now.Mode(), !worktree.ChangeTime(was.info).Equal(worktree.ChangeTime(now)):
			moved = append(moved, f)
		}
	}
	return moved
}

// sift takes out of st what can't travel.
func (t tree) sift(st *status) []left {
	var lefts []left
	for _, dir := range st.nested {
		kind := leftNested
		if info, err := os.Lstat(filepath.Join(t.Dir, dir, ".git")); err == nil && !info.IsDir() {
			kind = leftLinked
		}
		lefts = append(lefts, left{Path: dir, Kind: kind})
	}
	for _, dir := range st.inModules {
		lefts = append(lefts, left{Path: dir, Kind: leftInside})
	}
	for _, dir := range st.closed {
		lefts = append(lefts, left{Path: dir, Kind: leftClosed})
	}
	keep := st.write[:0]
	for _, path := range st.write {
		if _, rested := t.rested[path]; t.skip[path] || t.rested != nil && !rested {
			continue
		}
		if l := t.obstacle(path); l.Kind != "" && !st.was[path].touched(filepath.Join(t.Dir, path)) {
			lefts = append(lefts, l)
			if l.Size > math.MaxUint32 { // which an index can't tell from less: git would read all of it
				st.remove = append(st.remove, path)
			}
			continue
		}
		keep = append(keep, path)
	}
	st.write = keep
	return lefts
}

// obstacle says what keeps a file from being copied.
func (t tree) obstacle(path string) left {
	l := left{Path: path}
	switch {
	case git.BadPath(path) != "":
		l.Kind = leftName
		return l
	case git.IsModules(path) && !t.captains:
		l.Kind = leftModule
		return l
	}
	name := filepath.Join(t.Dir, path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink != 0:
	case err != nil:
		l.Kind = leftLocked
	case !info.Mode().IsRegular():
		l.Kind = leftOther
	case info.Size() > t.limits.File:
		l.Kind, l.Size = leftLarge, info.Size()
	default:
		f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
		if err == nil {
			if git.IsAttributes(path) && !soundRules(f) {
				l.Kind = leftRules
			}
			f.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			l.Kind = leftLocked
		}
	}
	return l
}

// soundRules tells whether the hub's git takes a file of attributes: it refuses long lines, to protect old gits.
func soundRules(f io.Reader) bool {
	lines := bufio.NewReaderSize(f, 2047)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return !errors.Is(err, bufio.ErrBufferFull)
		}
	}
}
