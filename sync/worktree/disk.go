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

// syncToDisk syncs up to fewFiles files one by one, atOneTime at a time, and the whole file system for more: a small
// change must not wait for what other programs write.
const (
	fewFiles  = 64
	atOneTime = 8
)

// syncToDisk calls fsync for files and directories, all on the file system of dir. A symbolic link is synced with its
// directory.
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
		return nil // a file that may be written but not read
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // not every file system can sync directories
		return err
	}
	return nil
}

// Install replaces a file by another one in the same directory. After a power cut, the old or the new file is there,
// whole.
func Install(from, to string) error {
	if err := flushOne(from); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// rename moves a file. To another file system, it first copies the file to a temporary name in the target directory.
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

// duplicate copies a file or a symbolic link to a new name, and syncs the copy.
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
