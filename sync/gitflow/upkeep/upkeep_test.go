package upkeep

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocaptain/sync/gitflow/git"
)

// TestPacksEarly has what remotes sent bring the packing forward.
func TestPacksEarly(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "begin"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
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
