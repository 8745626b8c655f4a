// Package kept writes files atomically, and notices later changes by others.
package kept

import (
	"io/fs"
	"os"
	"sync"

	"ocaptain/fleet/summed"
	"ocaptain/tasks/journal"
)

// Files remembers the state of each file when it was written. Its lock is held while a file is written.
type Files struct {
	sync.Mutex
	left map[string]fs.FileInfo
}

// Write calls summed.Write, and remembers the state of the file.
func (f *Files) Write(path string, v any, mode fs.FileMode) error {
	f.Lock()
	defer f.Unlock()
	if err := summed.Write(path, v, mode); err != nil {
		return err
	}
	f.fileState(path)
	return nil
}

// Remember remembers the state of a file without writing it.
func (f *Files) Remember(path string) {
	f.Lock()
	defer f.Unlock()
	f.fileState(path)
}

func (f *Files) fileState(path string) {
	if f.left == nil {
		f.left = map[string]fs.FileInfo{}
	}
	if info, err := os.Lstat(path); err == nil {
		f.left[path] = info
	}
}

// Changed reports whether somebody else has changed a file. If something at its path cannot be overwritten, it is
// moved aside.
func (f *Files) Changed(path string) bool {
	f.Lock()
	defer f.Unlock()
	was := f.left[path]
	if was == nil {
		return false
	}
	is, err := os.Lstat(path)
	if err == nil && os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) && was.Mode() == is.Mode() {
		return false
	}
	if err == nil && !is.Mode().IsRegular() {
		_, _ = journal.MoveAside(path, "damaged") // if this fails, the next write fails too, and is reported
	}
	return true
}

// Forget makes Changed ignore a file until it is written again.
func (f *Files) Forget(path string) {
	f.Lock()
	defer f.Unlock()
	delete(f.left, path)
}
