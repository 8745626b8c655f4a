package gitflow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files that a copy took in before a rule had them ignored are no work any more. Files that a commit or the ship's own index has stay.
func TestIgnoredLater(t *testing.T) {
	c := enlist(t, Options{})
	names := func() []string {
		t.Helper()
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", snap.Commit))
	}
	before := names()
	for _, name := range []string{"deps/a", "deps/b", "out.log", "kept.log", "forced.log", "made"} {
		put(t, c.ship.dir, name, name)
	}
	gitOutput(t, c.ship.dir, "add", "kept.log")
	gitOutput(t, c.ship.dir, "commit", "-q", "-m", "a log")
	if got := names(); len(got) != len(before)+6 {
		t.Fatalf("the first copy has %q", got)
	}
	gitOutput(t, c.ship.dir, "add", "forced.log")
	put(t, c.ship.dir, ".gitignore", "deps\n*.log\n")
	if err := os.MkdirAll(filepath.Join(c.ship.dir, ".git", "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, ".git/info/exclude", "/made\n")
	put(t, c.ship.dir, "deps/a", "changed meanwhile")
	want := append(before, ".gitignore", "forced.log", "kept.log")
	slices.Sort(want)
	for range 2 {
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("a copy has %q, not %q", got, want)
		}
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, ".gitignore", "*\n")
	put(t, c.ship.dir, "a.txt", "changed")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", "voyage")); !slices.Equal(got, want) {
		t.Errorf("the branch has %q, not %q", got, want)
	}
	c.checkout()
	put(t, c.ship.dir, ".gitignore", "**\n")
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("of files that are on the branch a copy has %q, not %q", got, want)
	}
}
