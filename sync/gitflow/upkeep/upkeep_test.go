package upkeep

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// TestPacksEarly: many received bytes start packing before packEvery transfers.
func TestPacksEarly(t *testing.T) {
	dir := synctest.Begin(t)
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	u := New(r)
	defer u.Close()
	packed := func() int {
		packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
		return len(packs)
	}
	u.Count(packSize - 1)
	u.jobs.Wait()
	if packed() > 0 {
		t.Error("it was packed already")
	}
	u.Count(1)
	u.jobs.Wait()
	if packed() == 0 {
		t.Error("nothing was packed")
	}
	if u.grown != 0 {
		t.Errorf("%d bytes are still counted", u.grown)
	}
}
