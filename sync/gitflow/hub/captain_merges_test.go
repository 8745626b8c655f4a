package hub

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// diverged leaves two branches whose merge conflicts in f.txt.
func (c *crew) diverged(with string) {
	own := gitOutput(c, c.dir, "symbolic-ref", "--short", "HEAD")
	for _, text := range []string{with, own} {
		if gitOutput(c, c.dir, "checkout", "-q", "-B", text); text == own {
			gitOutput(c, c.dir, "reset", "-q", "--hard", "HEAD~1")
		}
		put(c, c.dir, "f.txt", text+"\n")
		gitOutput(c, c.dir, "add", "f.txt")
		gitOutput(c, c.dir, "commit", "-q", "-m", text)
	}
}

// The captain begins a merge while edits in the workspace are waited for: that holds work back, and no git is to blame.
func TestCaptainBeginsToMerge(t *testing.T) {
	for name, args := range map[string][]string{"conflict": {"merge", "aside"}, "clean": {"merge", "--no-commit", "--no-ff", "-s", "ours", "aside"}} {
		t.Run(name, func(t *testing.T) {
			c := enlist(t, Options{})
			c.diverged("aside")
			head := gitOutput(t, c.dir, "rev-parse", "voyage")
			put(t, c.dir, "edit.txt", "edited\n")
			w, release, err := c.h.workspace(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			st, _, err := w.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rested, busy, err := w.unsettled(t.Context(), st.Write)
			if err != nil || len(busy) > 0 {
				t.Fatal(busy, err)
			}
			if _, err := tryGit(c.dir, args...); (err == nil) != (name == "clean") {
				t.Fatal(err)
			}
			w.Busy = busy
			err = w.locked(t.Context(), func() error { _, err := w.commit(t.Context(), rested); return err })
			var waits *sync.Hindered
			if !errors.As(c.h.Hindered(err), &waits) || !strings.Contains(waits.Why, "merge is under way") {
				t.Errorf("it says %v", err)
			}
			if now := gitOutput(t, c.dir, "rev-parse", "voyage"); now != head {
				t.Error("the branch moved under the captain's merge")
			}
		})
	}
}

// A hub dies with the index locked while the captain, on another branch, has a conflict to resolve: work goes on.
func TestLockLeftDuringConflict(t *testing.T) {
	c := enlist(t, Options{})
	c.diverged("aside")
	gitOutput(t, c.dir, "checkout", "-q", "-b", "mine")
	if _, err := tryGit(c.dir, "merge", "aside"); err == nil {
		t.Fatal("the merge should conflict")
	}
	put(t, c.dir, ".git/index.lock", git.OurLock)
	put(t, c.ship.dir, "work.txt", "work\n")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if st := gitOutput(t, c.dir, "status", "--porcelain"); st != "AA f.txt" && st != "UU f.txt" {
		t.Errorf("the captain's conflict became %q", st)
	}
	gitOutput(t, c.dir, "merge", "--abort")
}
