//go:build long

package launch_test

import (
	"os/exec"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/launch"
)

// TestSessionBase begins at the commit that a base names in the captain's own repository.
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
	// The branches exist, without commits of their own.
	for _, s := range []launch.Session{{Workers: 1, Branch: "feat/old"}, {Workers: 1, Branch: "main"}, {Workers: 1, Branch: "feat/old", Base: "feat/old"}} {
		if _, err := y.CheckSession(t.Context(), launch.Wish{Repo: dir, Agent: "script"}, s); err != nil {
			t.Errorf("branch %s: %v", s.Branch, err)
		}
	}
}
