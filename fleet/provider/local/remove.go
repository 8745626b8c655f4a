package local

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// removeAll removes a tree that a ship wrote. Directories may be nested without end, while os.RemoveAll needs a descriptor
// for each level, and they may be read-only, as in Go's module cache. So each directory is moved to the top before it is
// read, and nothing is deeper than two levels. It follows no symbolic link out of the tree.
func removeAll(dir string) error {
	if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if st, err := os.Lstat(dir); err != nil || !st.IsDir() {
		return os.Remove(dir)
	}
	_ = os.Chmod(dir, 0o700) // it is no link, since the ship cannot write to its parent
	top, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	r := remover{top: top, prefix: ".ocaptain-" + rand.Text() + "-"}
	if err := r.each(".", r.entry); err != nil {
		return err
	}
	return os.Remove(dir)
}

type remover struct {
	top    *os.Root
	prefix string
	moved  int
}

// each calls fn for the entries of a directory until none is left. fn has to remove an entry or move it away.
func (r *remover) each(dir string, fn func(path string) error) error {
	for {
		f, err := r.top.Open(dir)
		if err != nil {
			return err
		}
		names, err := f.Readdirnames(1000)
		f.Close()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := fn(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
}

// entry removes an entry at the top.
func (r *remover) entry(name string) error {
	if dir, err := r.opened(name); err != nil || !dir {
		return err
	}
	if err := r.each(name, r.raise); err != nil {
		return err
	}
	return r.top.Remove(name)
}

// raise moves a directory to the top, and removes anything else.
func (r *remover) raise(path string) error {
	if dir, err := r.opened(path); err != nil || !dir {
		return err
	}
	r.moved++
	return r.top.Rename(path, r.prefix+strconv.Itoa(r.moved))
}

// opened makes a directory writable and readable, and removes anything else.
func (r *remover) opened(path string) (dir bool, err error) {
	st, err := r.top.Lstat(path)
	if err != nil {
		return false, err
	}
	if !st.IsDir() {
		return false, r.top.Remove(path)
	}
	if st.Mode().Perm()&0o700 != 0o700 {
		err = r.top.Chmod(path, 0o700)
	}
	return true, err
}
