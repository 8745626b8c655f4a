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

// Look compares the tree with the private index. In a ship's tree it does not use git status, which would read files
// of any size, and files that change meanwhile.
func (t Tree) Look(ctx context.Context) (Status, error) {
	if !t.Captains {
		return t.lookFast(ctx)
	}
	if s, clean := t.lookClean(ctx); clean {
		return s, nil
	}
	b, err := t.Bytes(ctx, nil, statusArgs...)
	if err != nil {
		return Status{}, err
	}
	return ParseStatus(b)
}

// Stage updates the private index to the tree. It returns how they differed, and which paths it had to leave out.
func (t Tree) Stage(ctx context.Context) (st Status, lefts []Left, err error) {
	for range 3 { // a file may have become a directory meanwhile
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

// Add stages the paths of st. It removes the paths that git can't store from st, and returns them. again means that a
// file became something else meanwhile, so that the caller must call Look again.
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

// maxMoving bounds how many changing files are copied one by one.
const maxMoving = 500

// addStill stages the files that don't change meanwhile, and returns the others.
func (t Tree) addStill(ctx context.Context, files []string) (moving []string, err error) {
	for range 3 { // most writes are soon complete
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

// addAll stages files, with git unless they are few and plain. It returns the files that git refuses, for example because they vanish or shrink
// while git reads them.
func (t Tree) addAll(ctx context.Context, files []string) (refused []string, err error) {
	if len(files) == 0 || t.addFew(files) {
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

// writable returns an error if git can't store anything: then no single file is to blame.
func (t Tree) writable(ctx context.Context) error {
	_, err := t.Raw.Bytes(ctx, Paths([]string{time.Now().String()}), "hash-object", "-w", "--stdin")
	return err
}

// change runs update-index on the private index with a list of files. The system kills git if a file shrinks while
// git reads it; then change removes the lock, since no other process uses this index.
func (t Tree) change(ctx context.Context, files []string, how ...string) error {
	args := append([]string{"update-index", "-z"}, how...)
	err := t.Raw.Stream(ctx, Paths(files), nil, append(args, "--stdin")...)
	if err != nil {
		err = errors.Join(err, t.UnlockIndex())
	}
	return err
}

// UnlockIndex removes the lock of the private index. No git may be writing the index.
func (t Tree) UnlockIndex() error {
	if err := os.Remove(t.Path(PrivateIndex) + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// clockStep is longer than the resolution of file times.
const clockStep = 20 * time.Millisecond

// Sight is the state of a file at one moment.
type Sight struct {
	info  fs.FileInfo // nil for a missing file, or if Lstat failed
	fresh bool        // it changed so recently that a further change might get the same time
}

// Settled returns the Sights of files. If some changed just now, it waits for clockStep and looks again, so that few
// are fresh.
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

// Unlike returns the files that have changed since before, or may have.
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

// Sift removes the paths that git can't store from st, and returns them.
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
			if l.Size > math.MaxUint32 { // the index stores 32 bits of the size, so git would read the whole file
				st.remove = append(st.remove, path)
			}
			continue
		}
		keep = append(keep, path)
	}
	st.Write = keep
	return lefts
}

// obstacle returns a Left with a Kind if the file can't be copied.
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
		f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
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

// soundRules reports whether a .gitattributes file has no line that is too long: git refuses such lines, to protect
// old versions.
func soundRules(f io.Reader) bool {
	lines := bufio.NewReaderSize(f, 2047)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return !errors.Is(err, bufio.ErrBufferFull)
		}
	}
}
