package private_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet/private"
)

func TestMake(t *testing.T) {
	dir := t.TempDir()
	outer, inner := filepath.Join(dir, "a"), filepath.Join(dir, "a", "b")
	for range 2 { // the second time all is there
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
