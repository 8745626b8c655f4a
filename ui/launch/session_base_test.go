package launch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/launch"
)

// TestSessionBase begins at the commit that a base means in the captain's own repository.
func TestSessionBase(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	rev := func(name string) string {
		out, err := exec.Command("git", "-C", dir, "rev-parse", name).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("checkout", "-q", "-b", "dev")
	git("commit", "-q", "--allow-empty", "-m", "upstream")
	git("update-ref", "refs/remotes/origin/main", "dev")
	git("checkout", "-q", "main")
	git("commit", "-q", "--allow-empty", "-m", "ahead")
	git("branch", "feat/old", "main~1")
	git("branch", "-q", "-D", "dev")
	for i, base := range []string{"", "origin/main", "main@{1}", "HEAD~1", rev("main~1")[:9]} {
		s := launch.Session{Workers: 1, Branch: "feat/x" + string(rune('a'+i)), Base: base}
		want := rev("main")
		if base != "" {
			want = rev(base)
		}
		o, err := y.CheckSession(t.Context(), launch.Wish{Repo: dir, Agent: "script"}, s)
		if err != nil {
			t.Errorf("%q: %v", base, err)
			continue
		}
		d, err := y.StartVoyage(t.Context(), o, nil)
		if err != nil {
			t.Errorf("%q: %v", base, err)
			continue
		}
		if v, err := fleet.LoadVoyage(d); err != nil || v.Base != want {
			t.Errorf("%q: begins at %s, %v; want %s", base, v.Base, err, want)
		}
	}
	// Branches that are there, without commits of their own.
	for _, s := range []launch.Session{{Workers: 1, Branch: "feat/old"}, {Workers: 1, Branch: "main"}, {Workers: 1, Branch: "feat/old", Base: "feat/old"}} {
		if _, err := y.CheckSession(t.Context(), launch.Wish{Repo: dir, Agent: "script"}, s); err != nil {
			t.Errorf("branch %s: %v", s.Branch, err)
		}
	}
}

// TestOneSession lets one session have a branch, however many begin at the same time and whatever they call the repository.
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
