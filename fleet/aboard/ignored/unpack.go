package ignored

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"ocaptain/fleet/proto"
)

// The bounds of what is brought home: bytes of files, and how many files there may be.
const (
	MaxBytes = 1 << 30
	maxFiles = 100_000
)

// MaxArchive is how many bytes the archive of that may have.
const MaxArchive = MaxBytes + 4*512*maxFiles

// Unpack writes the files of an archive, as a ship makes it, below dir, which must not exist yet, and counts them. It writes regular
// files alone, which nobody else may read or run, and nothing outside of dir. When it fails nothing is left of dir.
func Unpack(dir string, in io.Reader) (kept proto.Ignored, err error) {
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
	var files []file
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return sum(files), nil
		}
		if err != nil {
			return kept, fmt.Errorf("the ship's archive: %w", err)
		}
		if len(files) == maxFiles {
			return kept, fmt.Errorf("the ship's archive: more than %d files", maxFiles)
		}
		if h.Typeflag != tar.TypeReg {
			return kept, fmt.Errorf("the ship's archive: %q is no file", h.Name)
		}
		if err := write(root, h.Name, r); err != nil {
			return kept, err
		}
		files = append(files, file{path: h.Name, size: h.Size})
	}
}

// write writes a file that is not there yet.
func write(root *os.Root, name string, in io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
