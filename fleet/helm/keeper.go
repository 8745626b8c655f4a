package helm

import (
	"io/fs"
	"os"
	"path/filepath"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/journal"
)

// files are those that helm writes whole. It remembers how each looked then, and so sees what others do to them.
type files struct {
	mu   gosync.Mutex
	left map[string]fs.FileInfo
}

// write is fleet.Save for one of them.
func (f *files) write(path string, v any, mode fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := fleet.Save(path, v, mode); err != nil {
		return err
	}
	f.fileState(path)
	return nil
}

// rememberFile remembers how a file looks that need not be written.
func (f *files) rememberFile(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fileState(path)
}

func (f *files) fileState(path string) {
	if f.left == nil {
		f.left = map[string]fs.FileInfo{}
	}
	if info, err := os.Lstat(path); err == nil {
		f.left[path] = info
	}
}

// changed reports whether somebody else has changed a file, and puts aside what no file can be written over.
func (f *files) changed(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
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

// keepEvery is how often helm looks whether its files are as it left them.
const keepEvery = time.Second

// keeper writes again what others damage while helm has it in memory.
func (v *voyage) keeper() {
	for retry.Sleep(v.ctx, keepEvery) == nil {
		v.keepFiles()
	}
}

func (v *voyage) keepFiles() {
	v.keeping.Lock()
	defer v.keeping.Unlock()
	sunk := reads(v, func() bool { return v.fleet.Phase == fleet.Sunk })
	if _, err := os.Stat(string(v.dir)); err != nil || sunk {
		return // whoever removes the whole directory of a voyage under way is told elsewhere
	}
	if !v.journal.Intact() {
		if err := v.restate(); err != nil {
			v.log.Error("events.jsonl", "error", err)
			_ = v.tryRoom()
			return
		}
		v.addNote(fleet.Note{Text: "events.jsonl was changed by somebody else while helm ran; all that helm knows was written into it again, so that nothing of the tasks is lost"})
	}
	for _, path := range []string{v.dir.Voyage(), v.dir.FleetFile(), v.dir.UsageFile(), v.dir.BoardFile(), v.dir.Secrets()} {
		if !v.files.changed(path) {
			continue
		}
		var err error
		switch path {
		case v.dir.Voyage():
			err = v.saveInfo()
		case v.dir.FleetFile():
			v.outdateFleet()
			err = v.saveFleet()
		case v.dir.UsageFile():
			changes(v, func() { v.usage.Changed = true })
			v.files.forget(path)
		case v.dir.Secrets():
			err = v.files.write(path, v.agents.Load(), 0o600)
		case v.dir.BoardFile():
			v.files.forget(path)
		}
		v.requestBoard()
		if err != nil {
			v.log.Error(filepath.Base(path), "error", err)
			continue // and tried again
		}
		v.addNote(fleet.Note{Text: filepath.Base(path) + " was changed by somebody else while helm ran, and was written anew"})
	}
}

// forget has nothing expected of a file until it is written.
func (f *files) forget(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.left, path)
}
