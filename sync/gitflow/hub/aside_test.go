package hub

import (
	"fmt"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

const shelf = "refs/ocaptain/review/1"

// handIn puts the ship's work aside, and returns the commit.
func (c *crew) handIn() string {
	c.Helper()
	m, err := c.h.Merge(c.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Aside: shelf})
	if err != nil {
		c.Fatal(err)
	}
	return m.Commit
}

// TestAsideKilled kills git at each moment of putting work aside. The ref then has all of the work or nothing, none of it
// counts as home that is not, and the same call brings it.
func TestAsideKilled(t *testing.T) {
	c := enlist(t, Options{})
	kill := synctest.KillGit(t, c.dir)
	order := c.order()
	order.Aside, order.Keep = shelf, "refs/ocaptain/tasks/1"
	for n := 1; ; n += stride {
		work := fmt.Sprint("work ", n)
		put(t, c.ship.dir, "b.txt", work)
		kill(fmt.Sprint(n))
		_, err := c.h.Merge(t.Context(), c.ship, order)
		kill("")
		if err == nil {
			t.Logf("%d moments", n-1)
			break
		}
		if n >= 60 {
			t.Fatal(err)
		}
		c.reopen()
		if home := gitOutput(t, c.dir, "for-each-ref", git.RefHome); home != "" {
			if got, err := tryGit(c.dir, "show", shelf+":b.txt"); err != nil || got != work {
				t.Fatalf("moment %d: the work counts as home, and is not: %s", n, got)
			}
		}
		put(t, c.ship.dir, "late.txt", work)
		m, err := c.h.Merge(t.Context(), c.ship, order)
		if err != nil || m.Changed != 2 || gitOutput(t, c.dir, "show", shelf+":b.txt") != work {
			t.Fatalf("moment %d: %+v, %v", n, m, err)
		}
		if k := c.checkout(); k.Parked != "" {
			t.Fatalf("moment %d: parked %s", n, k.Parked)
		}
		if err := c.h.Forget(t.Context(), shelf); err != nil {
			t.Fatal(err)
		}
	}
	gitOutput(t, c.dir, "fsck", "--connectivity-only")
}

// TestAsideIsKept collects what nothing refers to: what is put aside stays, until it is forgotten.
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
	order.Subject = "landed" // else it could be the same commit
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
