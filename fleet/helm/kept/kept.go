// Package kept writes files whole, and sees what others do to them afterwards.
package kept

import (
	"io/fs"
	"os"
	"sync"

	"ocaptain/fleet"
	"ocaptain/tasks/journal"
)

// Files remembers how each file looked when it was written. Its lock is held while a file is written.
type Files struct {
	sync.Mutex
	left map[string]fs.FileInfo
}

// Write is fleet.Save for one of them.
func (f *Files) Write(path string, v any, mode fs.FileMode) error {
	f.Lock()
	defer f.Unlock()
	if err := fleet.Save(path, v, mode); err != nil {
		return err
	}
	f.fileState(path)
	return nil
}

// Remember remembers how a file looks that need not be written.
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

// Changed reports whether somebody else has changed a file, and puts aside what no file can be written over.
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
		_, _ = journal.MoveAside(path, "damaged") // if that fails, so does writing, which is told
	}
	return true
}

// Forget has nothing expected of a file until it is written.
func (f *Files) Forget(path string) {
	f.Lock()
	defer f.Unlock()
	delete(f.left, path)
}
