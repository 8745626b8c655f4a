package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/launch"
)

// TestOneSession: only one session gets a branch, however many begin at the same time and whatever names they use for the
// repository.
func TestOneSession(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	link, linked := filepath.Join(y.Cwd, "link"), filepath.Join(y.Cwd, "linked")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	git("worktree", "add", "-q", "-b", "beside", linked)
	if err := os.MkdirAll(filepath.Join(dir, "sub", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	var orders []*launch.Order
	for _, repo := range []string{dir, link, linked, "file://" + dir, filepath.Join(dir, "sub", "er"), filepath.Join(link, "sub")} {
		o, err := y.CheckSession(t.Context(), launch.Wish{Repo: repo, Agent: "script"}, launch.Session{Workers: 1, Branch: "feat/x"})
		if err != nil {
			t.Fatalf("%s: %v", repo, err)
		}
		orders = append(orders, o)
	}
	var all sync.WaitGroup
	errs := make([]error, len(orders))
	for i, o := range orders {
		all.Go(func() { _, errs[i] = y.StartVoyage(t.Context(), o, nil) })
	}
	all.Wait()
	sail := 0
	for _, err := range errs {
		if err == nil {
			sail++
		} else if !strings.Contains(err.Error(), "works on branch feat/x") {
			t.Error(err)
		}
	}
	dirs, err := fleet.Voyages(y.Hub.Voyages).List()
	if sail != 1 || err != nil || len(dirs) != 1 {
		t.Errorf("%d sail; there are %v, %v", sail, dirs, err)
	}
}
