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

// Limits of what is copied home: bytes, files, directories, the length of a name, and the parts of a name.
const (
	MaxBytes = 1 << 30
	maxFiles = 100_000
	maxDirs  = 100_000
	maxName  = 4096
	maxDepth = 200
)

// MaxArchive is the size limit of an archive with that content, in bytes.
const MaxArchive = MaxBytes + 4*512*maxFiles

// Unpack writes the files of a ship's archive below dir, which must not exist yet, and returns their number and size. It writes only
// regular files, which only this user can read and write, and nothing outside dir. It renames .git to dot-git, since git would obey the
// configuration of a repository there. If it fails, it removes dir.
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
	dirs  map[string]bool // the directories that were made
	left  int64           // how many bytes may still be written
}

// take writes one file of the archive.
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

// makeDir makes a directory and its parents.
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

// plainName returns name, changed so that git does not take the directory for a repository.
func plainName(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		if strings.EqualFold(p, ".git") {
			parts[i] = "dot-git"
		}
	}
	return strings.Join(parts, "/")
}

// isSparse reports whether the archive holds only parts of the file.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// cause returns err without the file name, which a ship chose.
func cause(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// readsUntil is a reader that fails once its context has ended.
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
