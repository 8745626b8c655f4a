package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	stdsync "sync"
	"testing"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

// TestLosingMergeGetsItsTurn lands files during every check of a slow merge, until that merge keeps the lock.
func TestLosingMergeGetsItsTurn(t *testing.T) {
	b := begin(t, time.Minute)
	last := make(chan error, 1)
	var judged []string
	slow := order("slow")
	slow.Check = func(_ context.Context, candidate string) error {
		judged = append(judged, synctest.Git(t, b.dir, "rev-parse", candidate+"^{tree}"))
		if len(judged) <= freeTries {
			return b.give(fmt.Sprint("quick", len(judged)), "quick")
		}
		synctest.Put(t, b.dir, "captain.txt", "edited")
		if head, _, err := b.GatherUnlessKept(t.Context()); err != nil || head != synctest.Git(t, b.dir, "rev-parse", "HEAD") {
			t.Errorf("the branch moves to %s, %v", head, err)
		}
		go func() { last <- b.give("last", "quick") }()
		for waits := 0; waits == 0; {
			b.merging.mu.Lock()
			waits = b.merging.waiting
			b.merging.mu.Unlock()
		}
		return nil
	}
	m, err := b.Land(t.Context(), b.work("slow.txt", "slow"), slow)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-last; err != nil {
		t.Fatal(err)
	}
	if len(judged) != freeTries+1 {
		t.Fatalf("%d checks", len(judged))
	}
	if tree := synctest.Git(t, b.dir, "rev-parse", m.Commit+"^{tree}"); tree != judged[freeTries] {
		t.Fatalf("merged %s, judged %v", tree, judged)
	}
	if after := synctest.Git(t, b.dir, "log", "--format=%s", m.Commit+"..HEAD"); after != "last\ncaptain: edits in workspace" {
		t.Fatalf("after the merge came:\n%s", after)
	}
	if !b.merging.rest.After(time.Now().Add(-time.Hour)) {
		t.Fatal("others waited, and nothing makes up for it")
	}
}

// TestRacingMerges lands twelve commits with checks, four at a time. Each must be merged as it was checked.
func TestRacingMerges(t *testing.T) {
	b := begin(t, time.Minute)
	var all stdsync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 3 {
				tree, racer := "", order("racer")
				racer.Check = func(_ context.Context, candidate string) (err error) {
					tree, err = b.Branch.Tree(t.Context(), candidate)
					return err
				}
				m, err := b.Land(t.Context(), b.work(fmt.Sprint("racer-", i, n), "x"), racer)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := b.Branch.Tree(t.Context(), m.Commit); err != nil || got != tree {
					t.Errorf("%d: merged %s, judged %s, %v", i, got, tree, err)
				}
			}
		})
	}
	all.Wait()
	if n := synctest.Git(t, b.dir, "log", "--format=%s", "--grep=racer"); len(strings.Fields(n)) != 12 {
		t.Fatalf("merged:\n%s", n)
	}
	if left := synctest.Git(t, b.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Fatal(left)
	}
}

func TestKeptLockIsGivenBack(t *testing.T) {
	l := newLock()
	kept, err := l.keep(t.Context(), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.lock(t.Context()); err != nil { // waits until the term is over
		t.Fatal(err)
	}
	if kept.settle() {
		t.Fatal("a lease that is over was settled")
	}
	kept.end()
	l.unlock()
	l.rest = time.Time{}
	if kept, err = l.keep(t.Context(), time.Hour); err != nil || !kept.settle() {
		t.Fatal("not kept", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.keep(gone, time.Hour); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	kept.end()
	if kept, err = l.keep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	kept.end()
}
