package gitflow

import (
	"testing"

	"ocaptain/sync"
)

// What a tree holds beside what was merged of it is counted, whatever the branch does meanwhile.
func TestUnmerged(t *testing.T) {
	c := enlist(t, Options{})
	counts := func(when string, want int) {
		t.Helper()
		got, commit, err := c.h.Unmerged(t.Context(), c.ship, "ship-1")
		if err != nil || got != want || commit == "" {
			t.Errorf("%s: %d files at %q, %v, want %d", when, got, commit, err, want)
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
