package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// nest makes nested directories, deeper than the longest path.
func nest(t *testing.T, dir string, depth int) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		if err := at.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := at.WriteFile("f", nil, 0o400); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot("d")
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	at.Close()
}

// TestRemoveAttacks removes trees that are made to be hard to remove, with few descriptors, and checks that nothing
// else is removed.
func TestRemoveAttacks(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 200
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was) }()
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o400); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(t *testing.T, dir string){
		"nested": func(t *testing.T, dir string) { nest(t, dir, 26_000) },
		"wide": func(t *testing.T, dir string) {
			for i := range 3000 {
				if err := os.MkdirAll(filepath.Join(dir, "w", fmt.Sprint(i), "x"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		},
		"closed": func(t *testing.T, dir string) {
			nest(t, dir, 10)
			for _, name := range []string{"d/d/d/d", "d/d", "d", "."} {
				if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
					t.Fatal(err)
				}
			}
		},
		"links": func(t *testing.T, dir string) {
			nest(t, dir, 3)
			for _, name := range []string{"out", "d/out", "d/d/out", ".ocaptain-1"} {
				if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(".", filepath.Join(dir, "d/loop")); err != nil {
				t.Fatal(err)
			}
		},
		"pipe": func(t *testing.T, dir string) {
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ship")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			make(t, dir)
			if err := removeAll(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Fatal("it is still there", err)
			}
			if st, err := os.Lstat(kept); err != nil || st.Mode().Perm() != 0o400 {
				t.Fatal("what a link led to was changed", err)
			}
		})
	}
	if err := removeAll(filepath.Join(outside, "nothing")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(removeAll(link), os.Chmod(kept, 0o600)); err != nil {
		t.Fatal(err)
	}
}
