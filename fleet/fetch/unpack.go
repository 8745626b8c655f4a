package fetch

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// limits bound the size of an unpacked archive.
type limits struct {
	entries int
	bytes   int64 // of the tar file, headers included
}

// most allows twice the size of the largest package that ocaptain downloads.
var most = limits{entries: 10_000, bytes: 1 << 30}

// unpack writes the directories and files of an archive below root, without the archive's first directory. It fails
// for anything else: a link, a device, a name that leads outside or occurs twice.
func unpack(archive io.Reader, root *os.Root, l limits) error {
	z, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	left := &io.LimitedReader{R: z, N: l.bytes}
	t := tar.NewReader(left)
	for n := 0; ; n++ {
		h, err := t.Next()
		switch {
		case left.N <= 0:
			return fmt.Errorf("more than %d MB are in it", l.bytes>>20)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n >= l.entries:
			return fmt.Errorf("more than %d files are in it", l.entries)
		}
		if err := writeEntry(h, t, root); err != nil {
			if left.N <= 0 {
				err = fmt.Errorf("more than %d MB are in it", l.bytes>>20)
			}
			return fmt.Errorf("%.200q: %w", h.Name, err)
		}
	}
}

// writeEntry writes one directory or file.
func writeEntry(h *tar.Header, from io.Reader, root *os.Root) error {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeReg, tar.TypeDir:
	default:
		return fmt.Errorf("it is neither a file nor a directory but of type %q", h.Typeflag)
	}
	name, err := inside(h.Name)
	if err != nil {
		return err
	}
	if h.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if name == "." {
		return errors.New("it is not below a directory")
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if h.Mode&0o111 != 0 {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// inside returns the name of an entry without the archive's first directory.
func inside(name string) (string, error) {
	name = strings.TrimSuffix(name, "/")
	if !filepath.IsLocal(name) || name != path.Clean(name) || strings.ContainsAny(name, "\\\x00") || len(name) > 1000 {
		return "", errors.New("that name may lead elsewhere")
	}
	if _, rest, ok := strings.Cut(name, "/"); ok {
		return rest, nil
	}
	return ".", nil
}
