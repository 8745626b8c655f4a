package synctest

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

// besides makes work outside the tree in every way that git offers: with Whole, a merge must refuse to leave it
// behind.
func besides(t *testing.T, open func(*testing.T, string) Rig) {
	commit := func(t *testing.T, dir, file string) {
		Put(t, dir, file, file+"\n")
		Git(t, dir, "add", "-A")
		Git(t, dir, "commit", "-q", "-m", file)
	}
	worktree := func(s *ship) string { return filepath.Join(s.dir, ".claude", "worktrees", "apart") }
	for _, tt := range []struct {
		name string
		work func(s *ship)
		says string   // path in the *sync.Refused
		drop []string // git command that drops the work
	}{
		{"a branch", func(s *ship) {
			s.git("checkout", "-q", "-b", "other")
			commit(t, s.dir, "lost.txt")
			s.git("checkout", "-q", "-")
		}, "other", []string{"branch", "-D", "other"}},
		{"the stash", func(s *ship) { s.put("a.txt", "lost\n"); s.git("stash", "-q") }, "1 in the stash", []string{"stash", "drop", "-q"}},
		{"a worktree that is not committed", func(s *ship) {
			s.git("worktree", "add", "-q", worktree(s))
			Put(t, worktree(s), "lost.txt", "lost\n")
		}, "apart (a worktree)", []string{"worktree", "remove", "--force", ".claude/worktrees/apart"}},
		{"a worktree that is detached", func(s *ship) {
			s.git("worktree", "add", "-q", "--detach", worktree(s))
			commit(t, worktree(s), "lost.txt")
		}, "apart (a worktree)", []string{"worktree", "remove", "--force", ".claude/worktrees/apart"}},
		{"a worktree with a branch", func(s *ship) {
			s.git("worktree", "add", "-q", "-b", "wt", worktree(s))
			commit(t, worktree(s), "lost.txt")
		}, "wt", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, open, map[string]string{"a.txt": "a\n"})
			s := b.ship("ship-0")
			whole := func(subject string) error {
				order := s.order(subject)
				order.Whole = true
				_, err := b.Work.Merge(b.ctx, s, order)
				return err
			}
			tt.work(s)
			s.put("done.txt", "done\n")
			before := b.head()
			var no *sync.Refused
			if err := whole("1"); !errors.As(err, &no) || !slices.Equal(no.Paths, []string{tt.says}) || !strings.Contains(no.Error(), "git merge") {
				t.Fatalf("want it refused for %s, have %v", tt.says, err)
			}
			if b.head() != before {
				t.Fatal("something was merged all the same")
			}
			switch {
			case tt.drop != nil:
				s.git(tt.drop...)
			default: // merge the work into the tree; the branch stays
				s.git("merge", "-q", "--squash", tt.says)
			}
			if err := whole("1"); err != nil {
				t.Fatalf("after it was dropped or brought along: %v", err)
			}
			b.has("done.txt", "done\n")
		})
	}
}

// besidesEarlier makes work outside the tree before a checkout: merges of the next task must not refuse because of
// it.
func besidesEarlier(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	s.git("checkout", "-q", "-b", "other")
	s.put("early.txt", "early\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "early")
	s.git("checkout", "-q", "-")
	s.put("a.txt", "stashed\n")
	s.git("stash", "-q")
	s.git("worktree", "add", "-q", "../apart")
	Put(t, filepath.Join(s.dir, "..", "apart"), "early2.txt", "early\n")
	if c := s.checkout(); c.Parked != "" {
		t.Errorf("parked %s", c.Parked)
	}
	s.put("done.txt", "done\n")
	order := s.order("1")
	order.Whole = true
	if _, err := b.Work.Merge(b.ctx, s, order); err != nil {
		t.Fatal(err)
	}
	if snap := s.snapshot(); len(snap.Sides) != 2 || snap.Stashed != 1 {
		t.Errorf("it is not told any more: %+v", snap)
	}
}
