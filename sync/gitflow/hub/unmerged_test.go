package hub

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

// TestUnmerged: Snapshot.Changed counts the unmerged files of a tree, also while the branch moves.
func TestUnmerged(t *testing.T) {
	c := enlist(t, Options{})
	counts := func(when string, want int) {
		t.Helper()
		got, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil || got.Changed != want || got.Commit == "" || len(got.Sides)+got.Stashed > 0 {
			t.Errorf("%s: %+v, %v, want %d files", when, got, err, want)
		}
		// Unmerged, which has only the clone, must agree.
		from, live, err := Unmerged(t.Context(), c.dir, "ship-1")
		if err != nil || live != got.Commit || (from == live) != (want == 0) {
			t.Errorf("%s: from %s to %s, %v, want %d files", when, from, live, err, want)
		} else if names := gitOutput(t, c.dir, "diff", "--name-only", from, live); len(strings.Fields(names)) != want {
			t.Errorf("%s: %q, want %d files", when, names, want)
		}
	}
	counts("fresh", 0)
	put(t, c.ship.dir, "b.txt", "work\n")
	put(t, c.ship.dir, "c.txt", "more\n")
	counts("worked", 2)
	if _, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "work", Author: "ship-1 <ship-1@voyage>"}); err != nil {
		t.Fatal(err)
	}
	counts("merged", 0)
	put(t, c.ship.dir, "left.txt", "left\n")
	counts("gone on", 1)
	c.checkout()
	if from, live, err := Unmerged(t.Context(), c.dir, "ship-1"); err != nil || from != live {
		t.Errorf("after a checkout without a snapshot: from %s to %s, %v", from, live, err)
	}
	counts("brought to the branch", 0)
}

// TestUnmergedElsewhere: a change that the branch already has from another ship is not counted: a new file, a removed
// file, a directory in place of a file.
func TestUnmergedElsewhere(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.dir, "old.txt", "old\n")
	put(t, c.dir, "place", "file\n")
	c.checkout()
	dir := c.ship.dir
	for _, name := range []string{"old.txt", "place"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"same.txt", "mode.sh", "other.txt", "own.txt", "place/in"} {
		put(t, dir, name, name+"\n")
	}
	counts := func(when string, want ...string) {
		t.Helper()
		got, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil || got.Changed != len(want) {
			t.Errorf("%s: %+v, %v, want %q", when, got, err, want)
		}
		from, live, err := Unmerged(t.Context(), c.dir, "ship-1")
		if err != nil || live != got.Commit || (from == live) != (len(want) == 0) {
			t.Fatalf("%s: from %s to %s, %v, want %q", when, from, live, err, want)
		}
		if names := gitOutput(t, c.dir, "diff", "--no-renames", "--name-only", from, live); !slices.Equal(strings.Fields(names), want) {
			t.Errorf("%s: %q, want %q", when, names, want)
		}
	}
	counts("alone", "mode.sh", "old.txt", "other.txt", "own.txt", "place", "place/in", "same.txt")

	gitOutput(t, c.dir, "rm", "-q", "old.txt", "place")
	for _, name := range []string{"same.txt", "mode.sh", "place/in"} {
		put(t, c.dir, name, name+"\n")
	}
	put(t, c.dir, "other.txt", "not the same\n")
	gitOutput(t, c.dir, "add", "-A")
	gitOutput(t, c.dir, "update-index", "--chmod=+x", "mode.sh")
	gitOutput(t, c.dir, "commit", "-q", "-m", "the captain's own")
	counts("on the branch as well", "mode.sh", "other.txt", "own.txt")

	gitOutput(t, c.dir, "reset", "-q", "--hard")
	for _, name := range []string{"own.txt", "other.txt"} {
		put(t, c.dir, name, name+"\n")
	}
	if err := os.Chmod(filepath.Join(c.dir, "mode.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	gitOutput(t, c.dir, "commit", "-q", "-a", "-m", "one of its files")
	counts("more of it on the branch", "own.txt")
	gitOutput(t, c.dir, "add", "own.txt")
	gitOutput(t, c.dir, "commit", "-q", "-m", "the rest")
	counts("all of it on the branch")
}

// TestUnmergedBeside: commits on other branches and stash entries are counted until the hub keeps them.
func TestUnmergedBeside(t *testing.T) {
	c := enlist(t, Options{})
	dir := c.ship.dir
	beside := func(when, want string) {
		t.Helper()
		got, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if said := fmt.Sprint(got.Changed, got.Sides, got.Stashed); err != nil || said != want {
			t.Errorf("%s: %s, %v, want %s", when, said, err, want)
		}
	}
	commit := func(file string) {
		put(t, dir, file, file)
		gitOutput(t, dir, "add", "-A")
		gitOutput(t, dir, "commit", "-q", "-m", file)
	}
	own := gitOutput(t, dir, "symbolic-ref", "--short", "HEAD")
	gitOutput(t, dir, "branch", "empty")
	gitOutput(t, dir, "checkout", "-q", "-b", "feature")
	commit("one")
	commit("two")
	beside("the tree stands on the branch", "2 [] 0")
	gitOutput(t, dir, "checkout", "-q", own)
	beside("the tree has left it", "0 [{feature 2}] 0")
	put(t, dir, "three", "three")
	gitOutput(t, dir, "add", "-A")
	gitOutput(t, dir, "stash", "-q")
	beside("stashed", "0 [{feature 2}] 1")
	refs, _, err := c.h.Beside(t.Context(), c.ship, "ship-1")
	if err != nil || len(refs) != 2 {
		t.Fatalf("brought home as %q, %v", refs, err)
	}
	beside("brought home", "0 [] 0")
	kept := ""
	for _, ref := range refs {
		kept += gitOutput(t, c.dir, "log", "--format=%s", ref, "^voyage") + gitOutput(t, c.dir, "show", "--name-only", "--format=", "-m", ref)
	}
	for _, want := range []string{"one", "two", "three", "WIP on"} {
		if !strings.Contains(kept, want) {
			t.Errorf("%s is not in what was brought home:\n%s", want, kept)
		}
	}
	if again, _, err := c.h.Beside(t.Context(), c.ship, "ship-1"); err != nil || len(again) != 0 {
		t.Errorf("brought home again as %q, %v", again, err)
	}
	gitOutput(t, dir, "stash", "drop", "-q")

	// Once the tree with the branch checked out is merged as a task, no commit of the branch would be lost.
	gitOutput(t, dir, "checkout", "-q", "feature")
	if _, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "work", Author: "E <e@e>", Keep: "refs/ocaptain/tasks/1"}); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	beside("merged", "0 [] 0")
	gitOutput(t, dir, "checkout", "-q", "feature")
	commit("four")
	gitOutput(t, dir, "checkout", "-q", own)
	beside("gone on there", "0 [{feature 3}] 0") // the remote's own count, since the hub does not have the newest commit
}
