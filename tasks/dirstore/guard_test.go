package dirstore

import (
	"syscall"
	"testing"
)

// After Close, the directory can be opened again at once, even while a fork of this process still shares the store's
// files.
func TestReleased(t *testing.T) {
	dir := t.TempDir()
	d, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	forked, err := syscall.Dup(int(d.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(forked) }()
	release(d)
	if d, err = acquire(dir); err != nil {
		t.Fatal(err)
	}
	release(d)
}
