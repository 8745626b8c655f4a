package private_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/private"
)

func TestMake(t *testing.T) {
	dir := t.TempDir()
	outer, inner := filepath.Join(dir, "a"), filepath.Join(dir, "a", "b")
	for range 2 { // the second time, everything exists
		if err := private.Make(outer, inner); err != nil {
			t.Fatal(err)
		}
	}
	for what, spoil := range map[string]func(path string) error{
		"open":   func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o755)) },
		"a link": func(p string) error { return os.Symlink(outer, p) },
		"a file": func(p string) error { return os.WriteFile(p, nil, 0o600) },
	} {
		path := filepath.Join(dir, what)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if err := private.Make(path); err == nil {
			t.Errorf("took what is %s", what)
		}
	}
}

// The sockets of a long path are in XDG_RUNTIME_DIR, but only if no other user can access that directory.
func TestDir(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "oc-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	long := "/home/" + strings.Repeat("x", 90)
	t.Setenv("XDG_RUNTIME_DIR", base)
	if got, err := private.SocketDir("/home/ada/run", 37); got != "/home/ada/run" || err != nil {
		t.Errorf("short: %s, %v", got, err)
	}
	got, err := private.SocketDir(long, 37)
	other, _ := private.SocketDir(long+"y", 37)
	if err != nil || filepath.Dir(got) != base || got == other {
		t.Errorf("long: %s and %s, %v", got, other, err)
	}
	link := filepath.Join(base, "l")
	open := filepath.Join(base, "o")
	if err := errors.Join(os.Symlink(base, link), os.Mkdir(open, 0o700), os.Chmod(open, 0o770)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{link, open, "/tmp", "/nowhere", "", "rel", filepath.Join(base, strings.Repeat("x", 60))} {
		t.Setenv("XDG_RUNTIME_DIR", bad)
		got, err := private.SocketDir(base+long, 37)
		if err != nil || filepath.Dir(got) != "/tmp" && filepath.Dir(got) != fmt.Sprintf("/run/user/%d", os.Getuid()) {
			t.Errorf("%q gives %s, %v", bad, got, err)
		}
		if filepath.Dir(got) != "/tmp" {
			continue
		}
		if info, err := os.Stat(got); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", got, info, err)
		}
		if err := os.Chmod(got, 0o777); err != nil { // as if another user had made it
			t.Fatal(err)
		}
		if got, err := private.SocketDir(base+long, 37); err == nil || got != base+long || !strings.Contains(err.Error(), "set XDG_RUNTIME_DIR") {
			t.Errorf("what others can use gives %s, %v", got, err)
		}
		if err := os.Remove(got); err != nil {
			t.Fatal(err)
		}
	}
}
