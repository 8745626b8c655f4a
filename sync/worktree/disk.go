package worktree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	gosync "sync"
	"syscall"
)

// Many files are brought to the disk together, a few one by one: what others write must not keep a small change waiting.
const (
	fewFiles  = 64
	atOneTime = 8
)

// syncToDisk brings files or directories of the file system of dir to the disk. Symbolic links come with their directory.
func syncToDisk(dir string, names []string) error {
	if len(names) > fewFiles {
		return Flush(dir)
	}
	var wg gosync.WaitGroup
	room := make(chan struct{}, atOneTime)
	failed := make([]error, len(names))
	for i, name := range names {
		room <- struct{}{}
		wg.Go(func() {
			failed[i] = flushOne(name)
			<-room
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

func flushOne(name string) error {
	if now, err := os.Lstat(name); err != nil || now.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil // it may be written, and not be read
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // not every file system can for directories
		return err
	}
	return nil
}

// Install puts one file in the place of another of the same directory, so that a power cut leaves either.
func Install(from, to string) error {
	if err := flushOne(from); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// rename moves a file, also to another file system: there it is copied beside its place first.
func rename(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	near := filepath.Join(filepath.Dir(to), Temporary)
	if err := os.Remove(near); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := duplicate(from, near); err != nil {
		return errors.Join(err, os.Remove(near))
	}
	return os.Rename(near, to)
}

// duplicate copies a file or a symbolic link to a new name, and brings it to the disk.
func duplicate(from, to string) error {
	now, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if now.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, now.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
