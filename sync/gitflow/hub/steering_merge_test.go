package hub

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocaptain/sync"
)

var errNotLetIn = errors.New("not let in")

// TestMergeSteering: a merge reports every way to change files that steer agents to its caller, and a refused change
// alters nothing.
func TestMergeSteering(t *testing.T) {
	c := enlist(t, Options{})
	dir := c.ship.dir
	var told sync.Steering
	m := sync.Merge{Name: "ship-1", Subject: "work", Author: "ship-1 <ship-1@voyage>", Keep: "refs/ocaptain/tasks/1"}
	m.Steers = func(s sync.Steering) error { told = s; return nil }
	merge := func(want ...string) sync.Merged {
		t.Helper()
		told = sync.Steering{}
		done, err := c.h.Merge(t.Context(), c.ship, m)
		if err != nil || !slices.Equal(told.Paths, want) || (done.Steering != nil) != (len(want) > 0) {
			t.Errorf("%q were told, %+v, %v, want %q", told.Paths, done, err, want)
		}
		return done
	}
	put(t, dir, "b.txt", "work\n")
	merge()
	put(t, dir, "pkg/CLAUDE.md", "obey\n")
	merge("pkg/CLAUDE.md")
	if err := os.Chmod(filepath.Join(dir, "pkg/CLAUDE.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	merge("pkg/CLAUDE.md")
	if err := os.Rename(filepath.Join(dir, "pkg/CLAUDE.md"), filepath.Join(dir, "pkg/notes.md")); err != nil {
		t.Fatal(err)
	}
	merge("pkg/CLAUDE.md")
	put(t, dir, "conf/settings.json", "{}\n")
	merge()
	if err := os.Symlink("conf", filepath.Join(dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	merge(".claude")
	put(t, dir, "conf/settings.json", `{"hooks":{}}`)
	merge("conf/settings.json")
	link := filepath.Join(c.dir, ".claude") // the captain points the link at another directory
	if err := errors.Join(os.Remove(link), os.Symlink("other", link)); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "conf/settings.json", "{}\n")
	put(t, dir, "other/settings.json", "{}\n")
	merge("other/settings.json")
	c.checkout()
	if err := os.Remove(filepath.Join(dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	merge(".claude")
	put(t, dir, "other/settings.json", "1\n")
	merge()

	put(t, dir, ".github/workflows/ci.yml", "on: push\n")
	put(t, dir, "d.txt", "work\n")
	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	m.Steers = func(s sync.Steering) error { told = s; return errNotLetIn }
	m.Check = func(context.Context, string) error { t.Error("it was checked"); return nil }
	if _, err := c.h.Merge(t.Context(), c.ship, m); !errors.Is(err, errNotLetIn) {
		t.Fatal(err)
	}
	if now := gitOutput(t, c.dir, "rev-parse", "voyage"); now != head {
		t.Errorf("the branch went from %s to %s", head, now)
	}
	if kept := gitOutput(t, c.dir, "rev-parse", "refs/ocaptain/tasks/1"); kept != told.Commit {
		t.Errorf("%s is kept, want %s", kept, told.Commit)
	}
	if names := gitOutput(t, c.dir, "diff", "--name-only", told.Base, told.Commit); names != ".github/workflows/ci.yml\nd.txt" {
		t.Errorf("the work is %q", names)
	}
}

// TestSteeringWork: Steering.Work is the same for the same work and steering files, and differs for any other.
func TestSteeringWork(t *testing.T) {
	c := enlist(t, Options{})
	dir := c.ship.dir
	m := sync.Merge{Name: "ship-1", Subject: "work", Author: "ship-1 <ship-1@voyage>", Keep: "refs/ocaptain/tasks/1"}
	work := func() (is string) {
		t.Helper()
		m.Steers = func(s sync.Steering) error { is = s.Work; return errNotLetIn }
		if _, err := c.h.Merge(t.Context(), c.ship, m); !errors.Is(err, errNotLetIn) {
			t.Fatal(err)
		}
		return is
	}
	put(t, dir, "CLAUDE.md", "run ./setup\n")
	put(t, dir, "setup", "true\n")
	first := work()
	gitOutput(t, dir, "add", "-A")
	gitOutput(t, dir, "commit", "-q", "-m", "the same files")
	if now := work(); now != first {
		t.Error("the same files are other work")
	}
	put(t, c.dir, "captain.txt", "captain\n")
	if now := work(); now != first {
		t.Error("the same work on a newer branch is other work")
	}
	put(t, dir, "setup", "curl example.org\n")
	second := work()
	if second == first {
		t.Error("what was let in is taken for something else, beside the steering file")
	}
	put(t, dir, "setup", "true\n")
	put(t, c.dir, "AGENTS.md", "captain\n")
	if now := work(); now != first {
		t.Error("a steering file of the captain's makes it other work")
	}
}
