package staging

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

// Look compares the tree with the private index. Of a remote tree no file is read, which may be any size and change meanwhile.
func (t Tree) Look(ctx context.Context) (Status, error) {
	if !t.Captains {
		return t.lookFast(ctx)
	}
	b, err := t.Bytes(ctx, nil, statusArgs...)
	if err != nil {
		return Status{}, err
	}
	return ParseStatus(b)
}

// Stage brings the private index to what the tree holds. It returns how they differed, and what had to be left out.
func (t Tree) Stage(ctx context.Context) (st Status, lefts []Left, err error) {
	for range 3 { // what was a file may be a directory by now
		if st, err = t.Look(ctx); err != nil {
			return st, nil, err
		}
		var again bool
		if lefts, again, err = t.Add(ctx, &st); err != nil {
			return st, nil, err
		}
		if !again {
			break
		}
	}
	return st, lefts, t.keepRules(&st)
}

// Add stages the paths of st. It takes the paths that can't travel out of st and returns them. again says that a file became something
// else meanwhile, and the tree is to be looked at again.
func (t Tree) Add(ctx context.Context, st *Status) (lefts []Left, again bool, err error) {
	lefts = t.Sift(st)
	if n := len(st.Write) + len(st.remove); n > t.Limits.Files {
		return nil, false, fmt.Errorf("%d files changed, more than the limit of %d: is a build directory missing in .gitignore, for example %s?", n, t.Limits.Files, git.PlainText(First(st.Write, st.remove)))
	}
	if gone := slices.Concat(st.remove, st.ignored); len(gone) > 0 {
		if err := t.change(ctx, gone, "--force-remove"); err != nil {
			return nil, false, err
		}
	}
	moving, err := t.addStill(ctx, st.Write)
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

// maxMoving bounds how many files are copied one by one.
const maxMoving = 500

// addStill stages files that don't change meanwhile and returns the others.
func (t Tree) addStill(ctx context.Context, files []string) (moving []string, err error) {
	for range 3 { // most changes are over soon
		if len(files) == 0 {
			return moving, nil
		}
		before := t.Settled(ctx, files)
		refused, err := t.addAll(ctx, files)
		if err != nil {
			return nil, err
		}
		moving = append(moving, refused...)
		files = t.Unlike(before, files)
	}
	if moving = append(moving, files...); len(moving) > maxMoving {
		return nil, fmt.Errorf("%d files keep changing, for example %s", len(moving), git.PlainText(moving[0]))
	}
	return Distinct(moving...), nil
}

// addAll stages files as git does and returns the files that git refuses, such as a file that vanishes or shrinks while git
// reads it.
func (t Tree) addAll(ctx context.Context, files []string) (refused []string, err error) {
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
		if refused = append(refused, more...); len(refused) > maxMoving {
			return nil, fmt.Errorf("git refuses many files: %w", failed)
		}
	}
	return refused, nil
}

// writable tells whether git can store something at all: where it can't, no file is to blame.
func (t Tree) writable(ctx context.Context) error {
	_, err := t.Raw.Bytes(ctx, Paths([]string{time.Now().String()}), "hash-object", "-w", "--stdin")
	return err
}

// change runs update-index on the private index with a list of files. Git leaves its lock when the system kills it because a
// file shrinks; the lock may go, since no other process uses this index.
func (t Tree) change(ctx context.Context, files []string, how ...string) error {
	args := append([]string{"update-index", "-z"}, how...)
	err := t.Raw.Stream(ctx, Paths(files), nil, append(args, "--stdin")...)
	if err != nil {
		err = errors.Join(err, t.UnlockIndex())
	}
	return err
}

// UnlockIndex removes the lock of an index that no git writes any more.
func (t Tree) UnlockIndex() error {
	if err := os.Remove(t.Path(PrivateIndex) + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// clockStep is more than the finest step of the clock by which the system dates changes of files.
const clockStep = 20 * time.Millisecond

// Sight is how a file was seen.
type Sight struct {
	info  fs.FileInfo // nil for a file that is missing or can't be looked at
	fresh bool        // it changed so recently that a further change might get the same date
}

// Settled looks at files. When some changed just now it waits a moment first, so that most are no longer fresh.
func (t Tree) Settled(ctx context.Context, files []string) []Sight {
	all, fresh := make([]Sight, len(files)), true
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
			all[i] = Sight{}
			if info, err := os.Lstat(filepath.Join(t.Dir, f)); err == nil {
				age := now.Sub(worktree.ChangeTime(info))
				all[i] = Sight{info, age < clockStep && age > -clockStep}
				fresh = fresh || all[i].fresh
			}
		}
	}
	return all
}

// Unlike returns the files that are not as they were seen, or may not be.
func (t Tree) Unlike(before []Sight, files []string) []string {
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

// Sift takes out of st what can't travel.
func (t Tree) Sift(st *Status) []Left {
	var lefts []Left
	for _, dir := range st.nested {
		kind := LeftNested
		if info, err := os.Lstat(filepath.Join(t.Dir, dir, ".git")); err == nil && !info.IsDir() {
			kind = leftLinked
		}
		lefts = append(lefts, Left{Path: dir, Kind: kind})
	}
	for _, dir := range st.inModules {
		lefts = append(lefts, Left{Path: dir, Kind: LeftInside})
	}
	for _, dir := range st.closed {
		lefts = append(lefts, Left{Path: dir, Kind: LeftClosed})
	}
	keep := st.Write[:0]
	for _, path := range st.Write {
		if _, rested := t.Rested[path]; t.Busy[path] || t.Rested != nil && !rested {
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
	st.Write = keep
	return lefts
}

// obstacle says what keeps a file from being copied.
func (t Tree) obstacle(path string) Left {
	l := Left{Path: path}
	switch {
	case git.BadPath(path) != "":
		l.Kind = LeftName
		return l
	case git.IsModules(path) && !t.Captains:
		l.Kind = LeftModule
		return l
	}
	name := filepath.Join(t.Dir, path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink != 0:
	case err != nil:
		l.Kind = LeftLocked
	case !info.Mode().IsRegular():
		l.Kind = LeftOther
	case info.Size() > t.Limits.File:
		l.Kind, l.Size = LeftLarge, info.Size()
	default:
		f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
		if err == nil {
			if git.IsAttributes(path) && !soundRules(f) {
				l.Kind = LeftRules
			}
			f.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			l.Kind = LeftLocked
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
