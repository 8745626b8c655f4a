package watch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"

	"ocaptain/tasks/eventually"
)

// hears waits until a watcher reports a file, or that anything may have changed.
func hears(t *testing.T, w *Watcher, path string) {
	t.Helper()
	end := eventually.Context(t).Done()
	for {
		select {
		case e := <-w.Events:
			if e.Name == path {
				return
			}
		case <-w.Missed:
			return
		case <-end:
			t.Fatalf("nothing was heard of %s", path)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Watchers of one directory share an instance; each gets events until it is closed.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	opened := 0
	OpenBy(func() (*fsnotify.Watcher, error) { opened++; return fsnotify.NewWatcher() })
	t.Cleanup(func() { OpenBy(nil) })
	a, b := New(), New()
	for _, w := range []*Watcher{a, b} {
		if err := w.Add(dir); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path)
	hears(t, a, path)
	hears(t, b, path)
	a.Close()
	a.Close()
	if err := a.Add(dir); err == nil {
		t.Error("a closed watcher took a directory")
	}
	for len(b.Events) > 0 {
		<-b.Events
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	hears(t, b, path)
	if err := b.Add(filepath.Join(dir, "none")); err == nil {
		t.Error("it watches what is not there")
	}
	b.Close()
	if opened != 1 {
		t.Errorf("%d instances", opened)
	}
	if shared.from != nil || len(shared.all) > 0 {
		t.Error("something is left")
	}
}

// A directory that was removed and made again is watched again after another Add.
func TestAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	w := New()
	defer w.Close()
	for range 3 {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(dir); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "file"))
		hears(t, w, filepath.Join(dir, "file"))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		hears(t, w, dir)
		for len(w.Events) > 0 {
			<-w.Events
		}
	}
}

// Without an inotify instance, watchers report at intervals that anything may have changed.
func TestNoneLeft(t *testing.T) {
	OpenBy(func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) })
	t.Cleanup(func() { OpenBy(nil) })
	w := New()
	defer w.Close()
	if err := w.Add(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		hears(t, w, "")
	}
}
