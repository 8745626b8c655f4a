package hub

import (
	"errors"
	"os"
	"strings"
	gosync "sync"
	"sync/atomic"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
)

// TestBranchDeleted: when the captain deletes the branch, the next call of any kind creates it again at the same
// commit, and ships can merge.
func TestBranchDeleted(t *testing.T) {
	for name, harm := range map[string][][]string{
		"detached": {{"checkout", "-q", "--detach"}, {"branch", "-D", "voyage"}},
		"under":    {{"update-ref", "-d", "refs/heads/voyage"}},
		"renamed":  {{"branch", "-m", "voyage", "mine"}},
		"packed":   {{"pack-refs", "--all"}, {"checkout", "-q", "--detach"}, {"branch", "-D", "voyage"}},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			c := enlist(t, Options{Tell: func(text string) { told = append(told, text) }})
			put(t, c.ship.dir, "a.txt", "first\n")
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
			put(t, c.dir, "hers.txt", "hers\n")
			gitOutput(t, c.dir, "add", "hers.txt")
			gitOutput(t, c.dir, "commit", "-q", "-m", "the captain's own")
			c.checkout()
			head := gitOutput(t, c.dir, "rev-parse", "voyage")
			delete := func() {
				for _, args := range harm {
					gitOutput(t, c.dir, args...)
				}
			}
			back := func(when string) {
				t.Helper()
				if now := gitOutput(t, c.dir, "rev-parse", "voyage"); now != head {
					t.Fatalf("%s: the branch is at %s, was at %s", when, now, head)
				}
				gitOutput(t, c.dir, "checkout", "-q", "voyage")
				if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
					t.Errorf("%s: %s", when, dirt)
				}
				if name == "renamed" {
					gitOutput(t, c.dir, "branch", "-q", "-D", "mine")
				}
			}
			for when, ask := range map[string]func() error{
				"snapshot": func() error { _, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); return err },
				"checkout": func() error { _, err := c.h.Checkout(t.Context(), c.ship, "ship-1", ""); return err },
				"find":     func() error { _, err := c.h.Find(t.Context(), "Ocaptain-Task", "1"); return err },
				"free":     func() error { return c.h.Workspace.Free(t.Context()) },
				"open": func() error {
					h, err := Open(t.Context(), c.dir, "voyage", Options{})
					if err == nil {
						err = h.Close()
					}
					return err
				},
			} {
				delete()
				if err := ask(); err != nil {
					t.Fatalf("%s: %v", when, err)
				}
				back(when)
			}
			if len(told) != 4 || !strings.Contains(told[0], "voyage was gone") || !strings.Contains(told[0], head[:12]) {
				t.Errorf("told were %q", told)
			}
			delete()
			put(t, c.ship.dir, "b.txt", "second\n")
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
			if on := gitOutput(t, c.dir, "rev-parse", "voyage~1"); on != head {
				t.Errorf("the merge is on top of %s", on)
			}
			if files := gitOutput(t, c.dir, "ls-tree", "--name-only", "voyage"); !strings.Contains(files, "hers.txt") || !strings.Contains(files, "b.txt") {
				t.Errorf("on the branch are %s", files)
			}
		})
	}
}

// TestBranchDeletedForMany: when many calls find the branch deleted, all succeed, and one of them creates the branch.
func TestBranchDeletedForMany(t *testing.T) {
	var told atomic.Int32
	c := enlist(t, Options{Tell: func(string) { told.Add(1) }})
	const rounds = 10
	for range rounds {
		gitOutput(t, c.dir, "update-ref", "-d", "refs/heads/voyage")
		var all gosync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := c.h.Head(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if n := told.Load(); n != rounds {
		t.Errorf("it was told %d times of %d", n, rounds)
	}
}

// TestBranchDeletedForGood: if no ref or reflog says where the branch was, calls fail until the captain creates it.
func TestBranchDeletedForGood(t *testing.T) {
	c := enlist(t, Options{})
	gitOutput(t, c.dir, "checkout", "-q", "--detach")
	gitOutput(t, c.dir, "branch", "-D", "voyage")
	gitOutput(t, c.dir, "update-ref", "-d", git.RefHead)
	put(t, c.ship.dir, "a.txt", "work\n")
	var waits *sync.Hindered
	if err := c.merge(); !errors.As(err, &waits) {
		t.Fatal(err)
	}
	gitOutput(t, c.dir, "branch", "voyage")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
}

// TestRepositoryWasGone: a call fails with *sync.Hindered if the repository was gone during the call, though it is
// back when the hub looks for the reason.
func TestRepositoryWasGone(t *testing.T) {
	c := enlist(t, Options{})
	var waits *sync.Hindered
	away := c.dir + "-away"
	for name, ask := range map[string]func() error{
		"head":   func() error { _, err := c.h.Head(t.Context()); return err },
		"gather": func() error { _, _, err := c.h.Workspace.Gather(t.Context()); return err },
	} {
		if err := os.Rename(c.dir, away); err != nil {
			t.Fatal(err)
		}
		err := ask()
		if e := os.Rename(away, c.dir); e != nil {
			t.Fatal(e)
		}
		if _, err = branch.Persist(t.Context(), c.h.Branch, func() (string, error) { return "", err }); !errors.As(err, &waits) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
}
