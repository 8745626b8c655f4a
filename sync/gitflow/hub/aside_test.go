package hub

import (
	"testing"

	"ocaptain/sync"
)

const shelf = "refs/ocaptain/review/1"

// handIn merges the ship's work to the ref shelf, and returns the commit.
func (c *crew) handIn() string {
	c.Helper()
	m, err := c.h.Merge(c.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Aside: shelf})
	if err != nil {
		c.Fatal(err)
	}
	return m.Commit
}

// TestAsideIsKept runs gc: work on a Merge.Aside ref stays until Forget deletes the ref.
func TestAsideIsKept(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "b.txt", "b\n")
	work := c.handIn()
	c.checkout()
	collect := func() error {
		if err := c.h.upkeep.Pack(t.Context()); err != nil {
			t.Fatal(err)
		}
		gitOutput(t, c.dir, "reflog", "expire", "--expire=now", "--all")
		gitOutput(t, c.dir, "gc", "-q", "--prune=now")
		_, err := tryGit(c.dir, "cat-file", "-e", work)
		return err
	}
	if err := collect(); err != nil {
		t.Fatal("the work is gone")
	}
	c.reopen()
	order := c.order()
	order.Subject = "landed" // with the same subject the landed commit could have the same id
	if m, err := c.h.Land(t.Context(), work, order); err != nil || m.Changed != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := c.h.Forget(t.Context(), shelf); err != nil {
		t.Fatal(err)
	}
	if err := collect(); err == nil {
		t.Error("the work is kept for good")
	}
	c.reopen()
	if _, err := c.h.Land(t.Context(), work, c.order()); err == nil {
		t.Error("landed what is not there")
	}
}
