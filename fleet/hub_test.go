package fleet

import (
	"os"
	"path/filepath"
	"testing"
)

// MakeCache closes the cache to other users, whether it creates the cache or finds it open. It leaves the directory of agents open: where the
// captain is root, ships are other users and read it.
func TestMakeCache(t *testing.T) {
	h := Hub{Cache: filepath.Join(t.TempDir(), "cache")}
	check := func() {
		t.Helper()
		if err := h.MakeCache(); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]os.FileMode{h.Cache: 0o700, h.Agents(): 0o755} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want %v", dir, info.Mode(), err, want)
			}
		}
	}
	check()
	if err := os.Chmod(h.Cache, 0o755); err != nil {
		t.Fatal(err)
	}
	check()
}
