package gitflow

import (
	"fmt"
	"testing"

	"ocaptain/sync"
)

// What a tree holds beside what was merged of it is counted, whatever the branch does meanwhile.
func TestUnmerged(t *testing.T) {
	c := enlist(t, Options{})
	counts := func(when string, want int) {
		t.Helper()
		got, err := c.h.Unmerged(t.Context(), c.ship, "ship-1")
		if err != nil || got.Changed != want || got.Commit == "" || len(got.Sides)+got.Stashed > 0 {
			t.Errorf("%s: %+v, %v, want %d files", when, got, err, want)
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
	if _, err := c.h.Checkout(t.Context(), c.ship, "ship-1"); err != nil {
		t.Fatal(err)
	}
	counts("brought to the branch", 0)
}

// What is committed beside the tree, or stashed away, is counted until the hub has it.
func TestUnmergedBeside(t *testing.T) {
	c := enlist(t, Options{})
	dir := c.ship.dir
	beside := func(when, want string) {
		t.Helper()
		got, err := c.h.Unmerged(t.Context(), c.ship, "ship-1")
		if said := fmt.Sprint(got.Changed, got.Sides, got.Stashed); err != nil || said != want {
			t.Errorf("%s: %s, %v, want %s", when, said, err, want)
		}
	}
	commit := func(file string) {
		put(t, dir, file, file)
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", file)
	}
	own := git(t, dir, "symbolic-ref", "--short", "HEAD")
	git(t, dir, "branch", "empty")
	git(t, dir, "checkout", "-q", "-b", "feature")
	commit("one")
	commit("two")
	beside("the tree stands on the branch", "2 [] 0")
	git(t, dir, "checkout", "-q", own)
	beside("the tree has left it", "0 [{feature 2}] 0")
	put(t, dir, "three", "three")
	git(t, dir, "add", "-A")
	git(t, dir, "stash", "-q")
	beside("stashed", "0 [{feature 2}] 1")
	git(t, dir, "stash", "drop", "-q")

	// Merged by way of the tree, as a task is, the branch holds nothing that would be lost.
	git(t, dir, "checkout", "-q", "feature")
	if _, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "work", Author: "E <e@e>", Keep: "refs/ocaptain/tasks/1"}); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	beside("merged", "0 [] 0")
	git(t, dir, "checkout", "-q", "feature")
	commit("four")
	git(t, dir, "checkout", "-q", own)
	beside("gone on there", "0 [{feature 3}] 0") // its own count: the hub has not got the newest
}
