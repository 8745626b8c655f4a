package kept

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestChanged checks that changes of a file by others are noticed, and writes by helm are not.
func TestChanged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		want   bool
	}{
		"nothing":     {func(string) error { return nil }, false},
		"written":     {func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) }, true},
		"removed":     {os.Remove, true},
		"its mode":    {func(path string) error { return os.Chmod(path, 0o644) }, true},
		"a directory": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, true},
	} {
		var f Files
		path := filepath.Join(t.TempDir(), "fleet.json")
		if f.Changed(path) {
			t.Errorf("%s: it was not written yet", name)
		}
		if err := f.Write(path, "text", 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.change(path); err != nil {
			t.Fatal(err)
		}
		if got := f.Changed(path); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if err := f.Write(path, "text", 0o600); err != nil || f.Changed(path) {
			t.Errorf("%s: written again: %v", name, err)
		}
		if f.Forget(path); os.Remove(path) != nil || f.Changed(path) {
			t.Errorf("%s: it is not forgotten", name)
		}
	}
}

// TestReserve reserves disk space for a file, more when the file grows, and frees it.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	file, r := filepath.Join(dir, "board.json"), ReserveOf(dir)
	if r.Keep(file); r.Free() {
		t.Error("there is a reserve for no file")
	}
	for _, size := range []int{10, 100} {
		if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		r.Keep(file)
		if info, err := os.Stat(string(r)); err != nil || info.Size() < int64(size) {
			t.Errorf("for %d bytes: %v, %v", size, info, err)
		}
	}
	if !r.Free() || r.Free() {
		t.Error("it is not given back once")
	}
	if err := TryRoom(dir); err != nil {
		t.Error(err)
	}
	if err := TryRoom(filepath.Join(dir, "gone")); err == nil {
		t.Error("a directory that is gone takes something")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the directory has %v", left)
	}
}
