package staging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
)

// errNoFile means that a path is no longer a file.
var errNoFile = errors.New("not a file any more")

// copyTries is how often copyStill copies a file that keeps changing.
const copyTries = 5

// addCopy copies one file as it was at one moment, and stages the copy. It returns why it could not, if so.
func (t Tree) addCopy(ctx context.Context, file string) (Left, error) {
	l := Left{Path: file}
	mode, err := t.copyWhole(ctx, file, &l)
	switch {
	case errors.Is(err, errNoFile):
		return l, errors.Join(err, t.change(ctx, []string{file}, "--force-remove"))
	case err != nil || l.Kind != "":
		return l, err
	}
	copied := t.Path(copyFileName)
	how := []string{"hash-object", "-w", "--path=" + file, copied}
	if mode == git.LinkMode {
		how = []string{"hash-object", "-w", "--no-filters", copied}
	}
	id, err := t.Raw.Output(ctx, how...)
	var refused *git.Error
	if errors.As(err, &refused) { // git cannot apply an attribute to the content
		id, err = t.Raw.Output(ctx, "hash-object", "-w", "--no-filters", copied)
	}
	if err != nil {
		return l, err
	}
	err = t.Raw.Stream(ctx, strings.NewReader(mode+" "+id+"\t"+file+"\x00"), nil, "update-index", "-z", "--add", "--replace", "--index-info")
	if err != nil {
		err = errors.Join(err, t.UnlockIndex())
	}
	return l, err
}

// copyFileName is the path of the copy inside the git directory.
const copyFileName = "ocaptain/copy"

// copyWhole copies a file as it was at one moment, and returns its mode in git. If it cannot copy the file, it puts
// the reason into l.
func (t Tree) copyWhole(ctx context.Context, file string, l *Left) (mode string, err error) {
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if !isBelowDirs(root, file) {
		return "", errNoFile
	}
	info, err := root.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir():
		return "", errNoFile
	case err != nil:
		l.Kind = LeftLocked
		return "", nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := root.Readlink(file)
		if err != nil {
			return "", errNoFile
		}
		return git.LinkMode, os.WriteFile(t.Path(copyFileName), []byte(to), 0o600)
	case !info.Mode().IsRegular():
		l.Kind = LeftOther
		return "", nil
	}
	in, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errNoFile
	case err != nil:
		l.Kind = LeftLocked
		return "", nil
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !now.Mode().IsRegular() {
		l.Kind = LeftMoving
		return "", err
	}
	return fileMode(info), t.copyStill(ctx, in, l)
}

// copyStill copies an open file until a second reading gives the same bytes. Then the copy is the file as it was at
// the end of the first reading, even if the file has grown since.
func (t Tree) copyStill(ctx context.Context, in *os.File, l *Left) error {
	out, err := os.Create(t.Path(copyFileName))
	if err != nil {
		return err
	}
	defer out.Close()
	for try := range copyTries {
		if try > 0 {
			select {
			case <-time.After(clockStep):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if info, err := in.Stat(); err == nil && info.Size() > t.Limits.File {
			l.Kind, l.Size = LeftLarge, info.Size()
			return nil
		}
		if err := out.Truncate(0); err != nil {
			return err
		}
		whole := io.NewSectionReader(in, 0, t.Limits.File+1)
		n, err := io.Copy(io.NewOffsetWriter(out, 0), whole)
		if err != nil {
			if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Op == "read" {
				l.Kind = LeftLocked
				return nil
			}
			return fmt.Errorf("copy %s: %w", git.PlainText(l.Path), err)
		}
		if n > t.Limits.File {
			l.Kind, l.Size = LeftLarge, n
			return nil
		}
		if alike(io.NewSectionReader(in, 0, n), io.NewSectionReader(out, 0, n), n) {
			return nil
		}
	}
	l.Kind = LeftMoving
	return nil
}

// alike reports whether two readers give the same n bytes.
func alike(a, b io.Reader, n int64) bool {
	one, two := make([]byte, 64<<10), make([]byte, 64<<10)
	for n > 0 {
		size := min(n, int64(len(one)))
		if _, err := io.ReadFull(a, one[:size]); err != nil {
			return false
		}
		if _, err := io.ReadFull(b, two[:size]); err != nil || !bytes.Equal(one[:size], two[:size]) {
			return false
		}
		n -= size
	}
	return true
}
