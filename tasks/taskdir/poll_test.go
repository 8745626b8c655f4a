package taskdir

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/watch"
)

// TestNoWatchesLeft opens a view when the system has no inotify watches left. The view still undoes what others do, a
// little later.
func TestNoWatchesLeft(t *testing.T) {
	watch.OpenBy(func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) })
	t.Cleanup(func() { watch.OpenBy(nil) })
	dir, found := t.TempDir(), make(chan []Tamper, 10)
	v, err := OpenView(dir, func(all []Tamper) { found <- all }, nil)
	if err != nil {
		t.Fatal(err)
	}
	v.Set([]tasks.Task{{ID: "1", Subject: "one", Status: tasks.Pending}})
	if err := v.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	edited := `{"id":"1","subject":"two","description":"","status":"completed","blocks":[],"blockedBy":[]}`
	for range 2 { // the view may handle the first change when it opens, before it polls
		if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		select {
		case all := <-found:
			if len(all) != 1 || all[0].What != Edited {
				t.Errorf("found %+v", all)
			}
		case <-eventually.Context(t).Done():
			t.Fatal("nothing was found")
		}
		if err := v.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
