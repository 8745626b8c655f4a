package ignored

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ocaptain/fleet/proto"
)

// The bounds of what is brought home: bytes of files, how many files and directories there may be, how long a name, and of how many parts.
const (
	MaxBytes = 1 << 30
	maxFiles = 100_000
	maxDirs  = 100_000
	maxName  = 4096
	maxDepth = 200
)

// MaxArchive is how many bytes the archive of that may have.
const MaxArchive = MaxBytes + 4*512*maxFiles

// Unpack writes the files of an archive, as a ship makes it, below dir, which must not exist yet, and counts them. It writes regular
// files alone, with permissions for this user to read and write, and nothing outside of dir. A part of a name that is .git becomes dot-git:
// a git that runs there would obey the configuration of that repository. When it fails nothing is left of dir.
func Unpack(ctx context.Context, dir string, in io.Reader) (kept proto.Ignored, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return kept, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return kept, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return kept, err
	}
	defer root.Close()
	u := unpacking{ctx: ctx, root: root, dirs: map[string]bool{".": true}, left: MaxBytes}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return sum(u.files), nil
		}
		if err == nil {
			err = u.take(h, r)
		}
		if err != nil {
			return kept, fmt.Errorf("the ship's archive: %w", err)
		}
	}
}

// unpacking is the state of Unpack between two files.
type unpacking struct {
	ctx   context.Context
	root  *os.Root
	files []file
	dirs  map[string]bool // that were made
	left  int64           // bytes
}

// take writes a file of the archive.
func (u *unpacking) take(h *tar.Header, in io.Reader) error {
	name := plainName(h.Name)
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case h.Typeflag != tar.TypeReg || isSparse(h):
		return fmt.Errorf("%.200q is no plain file", h.Name)
	case !fits(name) || h.Size < 0 || h.Size > u.left || len(u.files) == maxFiles:
		return errors.New("it has more than the ship was asked for")
	}
	u.left -= h.Size
	if err := u.makeDir(path.Dir(name)); err != nil {
		return fmt.Errorf("directory of %.200q: %w", h.Name, cause(err))
	}
	f, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%.200q: %w", h.Name, cause(err))
	}
	_, err = io.Copy(f, readsUntil{u.ctx, in})
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%.200q: %w", h.Name, cause(err))
	}
	u.files = append(u.files, file{path: h.Name, size: h.Size})
	return nil
}

// makeDir makes a directory and those above it.
func (u *unpacking) makeDir(dir string) error {
	if u.dirs[dir] {
		return nil
	}
	if len(u.dirs) == maxDirs {
		return errors.New("there are too many directories")
	}
	if above := path.Dir(dir); above != dir {
		if err := u.makeDir(above); err != nil {
			return err
		}
	}
	if err := u.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	u.dirs[dir] = true
	return nil
}

// fits reports whether a name is neither too long nor too deep.
func fits(name string) bool { return len(name) <= maxName && strings.Count(name, "/") < maxDepth }

// plainName is a name under which git finds no repository.
func plainName(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		if strings.EqualFold(p, ".git") {
			parts[i] = "dot-git"
		}
	}
	return strings.Join(parts, "/")
}

// isSparse reports whether a file is larger than what the archive has of it.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// cause is an error without the name of its file, which a ship chose.
func cause(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// readsUntil reads until its context ends.
type readsUntil struct {
	ctx context.Context
	io.Reader
}

func (r readsUntil) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
