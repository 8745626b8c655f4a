package synctest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/tasks/eventually"
)

func captain(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n", ".gitignore": "*.tmp\n"})
	s := b.ship("ship-0")
	// The next checkout commits the captain's edits and includes them.
	b.put("b.txt", "captain's\n")
	b.put("note.txt", "staged\n")
	b.git("add", "note.txt")
	b.put("note.txt", "staged and changed\n")
	b.put("x.tmp", "ignored\n")
	s.checkout()
	s.has("b.txt", "captain's\n")
	s.has("note.txt", "staged and changed\n")
	s.has("x.tmp", "")
	b.inStep()
	b.has("x.tmp", "ignored\n")
	if got := b.git("log", "-1", "--format=%an <%ae>/%cn <%ce>/%s"); got != Captain+"/"+Captain+"/captain: edits in workspace" {
		t.Fatalf("commit is %q", got)
	}
	// A merge combines the remote's work with edits that the captain made meanwhile.
	s.put("a.txt", "1\n2\n3\n4\nship\n")
	b.put("a.txt", "captain\n2\n3\n4\n5\n")
	s.merge("both")
	b.has("a.txt", "captain\n2\n3\n4\nship\n")
	s.checkout()
	// A checkout also includes the captain's own commits.
	b.put("a.txt", "committed\n")
	b.git("commit", "-q", "-am", "by hand")
	s.checkout()
	s.has("a.txt", "committed\n")
	// The remote must resolve a conflict with the captain's edits.
	s.put("a.txt", "ship's\n")
	b.put("a.txt", "captain's\n")
	_ = s.clash("clash")
	b.has("a.txt", "captain's\n")
	s.put("a.txt", "resolved\n")
	s.merge("clash")
	b.has("a.txt", "resolved\n")
	// The captain resets the branch: the removed commits must not return.
	s.checkout()
	b.git("reset", "-q", "--hard", "HEAD~1")
	s.put("c.txt", "new\n")
	s.merge("after-reset")
	b.has("a.txt", "captain's\n")
	b.has("c.txt", "new\n")
}

func elsewhere(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	s := b.ship("ship-0")
	b.git("checkout", "-q", "-b", "experiment")
	b.put("a.txt", "experiment\n")
	s.put("b.txt", "ship\n")
	m := s.mergeAway("one")
	if len(m.Notes) == 0 || !strings.Contains(m.Notes[0], Branch) {
		t.Fatalf("notes: %q", m.Notes)
	}
	b.has("a.txt", "experiment\n")
	b.has("b.txt", "b\n")
	if got := b.git("status", "--porcelain"); got != "M a.txt" {
		t.Fatalf("the captain's tree was touched: %q", got)
	}
	c, err := b.Work.Checkout(b.ctx, s, s.name, "")
	if err != nil || c.Commit != m.Commit || len(c.Notes) == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	b.git("commit", "-q", "-am", "experiment")
	b.git("checkout", "-q", Branch)
	b.has("b.txt", "ship\n")
	s.put("b.txt", "ship again\n")
	s.merge("two")
	// During a rebase, HEAD is not on the branch either.
	b.git("checkout", "-q", "experiment")
	b.put("b.txt", "clash\n")
	b.git("commit", "-q", "-am", "clash")
	if _, err := TryGit(b.Dir, "rebase", Branch); err == nil {
		t.Fatal("the rebase should conflict")
	}
	s.put("c.txt", "c\n")
	s.mergeAway("three")
	b.git("rebase", "--abort")
	b.has("b.txt", "clash\n")
}

// mergeAway merges while the captain has another branch checked out.
func (s *ship) mergeAway(subject string) sync.Merged {
	s.b.Helper()
	before := s.b.git("status", "--porcelain")
	m, err := s.b.Work.Merge(s.b.ctx, s, s.order(subject))
	if err != nil || m.Commit != s.b.head() {
		s.b.Fatalf("%+v, %v", m, err)
	}
	if after := s.b.git("status", "--porcelain"); after != before {
		s.b.Fatalf("the captain's tree changed: %q was %q", after, before)
	}
	return m
}

// middle merges while the captain is in the middle of a merge on the branch. The hub's merge must wait, since the
// captain's commit would undo it.
func middle(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	b.git("checkout", "-q", "-b", "side")
	b.put("a.txt", "side\n")
	b.git("commit", "-q", "-am", "side")
	b.git("checkout", "-q", Branch)
	b.put("a.txt", "main\n")
	b.git("commit", "-q", "-am", "main")
	if _, err := TryGit(b.Dir, "merge", "side"); err == nil {
		t.Fatal("the merge should conflict")
	}
	head := b.head()
	if c, err := b.Work.Checkout(b.ctx, s, s.name, ""); err != nil || len(c.Notes) == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	s.has("a.txt", "main\n")
	s.put("b.txt", "b\n")
	if _, err := b.Work.Merge(b.ctx, s, s.order("one")); err == nil || !strings.Contains(err.Error(), "merge is under way") {
		t.Fatalf("want an error that says what is under way, have %v", err)
	}
	if b.head() != head {
		t.Fatal("the branch moved under the captain's merge")
	}
	b.put("a.txt", "both\n")
	b.git("commit", "-q", "-am", "merged")
	s.merge("one")
	b.has("a.txt", "both\n")
	b.has("b.txt", "b\n")
}

// saving saves files as the captain all the time while merges change the same tree. No save may be lost.
func saving(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"captain.txt": "0\n", "ship.txt": "0\n"})
	s := b.ship("ship-0")
	done := make(chan struct{})
	var wg stdsync.WaitGroup
	saves := 0
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-eventually.Later(40 * time.Millisecond):
			}
			saves++
			err := os.WriteFile(filepath.Join(b.Dir, "captain.txt"), fmt.Appendln(nil, saves), 0o644)
			err2 := os.WriteFile(filepath.Join(b.Dir, fmt.Sprintf("save-%d.txt", saves)), fmt.Appendln(nil, saves), 0o644)
			if err != nil || err2 != nil {
				t.Error(err, err2)
			}
		}
	})
	for i := range 4 {
		s.put("ship.txt", fmt.Sprintln(i+1))
		s.put(fmt.Sprintf("ship-%d.txt", i), "ship\n")
		if _, err := b.Work.Merge(b.ctx, s, s.order(fmt.Sprint(i))); err != nil {
			t.Error(err)
		}
		if _, err := b.Work.Checkout(b.ctx, s, s.name, ""); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
	s.checkout()
	b.inStep()
	b.has("captain.txt", fmt.Sprintln(saves))
	b.has("ship.txt", "4\n")
	for i := range saves {
		b.has(fmt.Sprintf("save-%d.txt", i+1), fmt.Sprintln(i+1))
	}
	if got := b.git("log", "--format=%s", "--grep=edits"); got == "" {
		t.Fatal("no edits were committed")
	}
}

// crowd makes checkouts and merges of eight remotes at the same time.
func crowd(t *testing.T, open func(*testing.T, string) Rig) {
	const ships, rounds = 8, 2
	b := setup(t, open, map[string]string{"shared.txt": strings.Repeat("line\n", 2*ships)})
	base := b.head()
	var all []*ship
	for n := range ships {
		all = append(all, b.ship(fmt.Sprint("ship-", n)))
	}
	var wg stdsync.WaitGroup
	for n, s := range all {
		wg.Go(func() {
			for round := range rounds {
				if err := s.task(fmt.Sprintf("%d-%d", n, round)); err != nil {
					t.Errorf("%s, round %d: %v", s.name, round, err)
				}
			}
		})
	}
	wg.Wait()
	b.inStep()
	if got := b.count(base, b.head()); got != fmt.Sprint(ships*rounds) {
		t.Fatalf("%s commits", got)
	}
	for n := range ships {
		for round := range rounds {
			name := fmt.Sprintf("%d-%d", n, round)
			b.has("done/"+name, name)
			if commit, err := b.Work.Find(b.ctx, "Ocaptain-Task", name); err != nil || commit == "" {
				t.Errorf("%s: %q, %v", name, commit, err)
			}
		}
	}
	b.git("fsck", "--connectivity-only")
}

// task makes a checkout, some work and a merge.
func (s *ship) task(name string) error {
	if _, err := s.b.Work.Checkout(s.b.ctx, s, s.name, ""); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "done"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "done", name), []byte(name), 0o644); err != nil {
		return err
	}
	if _, err := s.b.Work.Snapshot(s.b.ctx, s, s.name); err != nil {
		return err
	}
	order := s.order(name)
	order.Check = func(ctx context.Context, candidate string) error { return ctx.Err() }
	m, err := s.b.Work.Merge(s.b.ctx, s, order)
	if err == nil && m.Changed != 1 {
		err = fmt.Errorf("%d files changed", m.Changed)
	}
	return err
}

// giveUp cancels a call after a while.
func giveUp(ctx context.Context, stop context.CancelFunc, after time.Duration, call func(context.Context)) {
	t := time.AfterFunc(after, stop)
	defer t.Stop()
	defer stop()
	call(ctx)
}
