package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	stdsync "sync"
	"syscall"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// shortLines is a file that git can't merge with another of its kind in less than minutes.
func shortLines(seed uint32) string {
	var b strings.Builder
	for range 3_000_000 {
		seed = seed*1664525 + 1013904223
		b.WriteByte('a' + byte(seed>>24)%16)
		b.WriteByte('\n')
	}
	return b.String()
}

// second adds another ship to the crew.
func (c *crew) second(name string) *crew {
	c.Helper()
	s := direct{filepath.Join(c.TempDir(), "workspace")}
	if _, err := c.h.Checkout(c.Context(), s, name, ""); err != nil {
		c.Fatal(err)
	}
	return &crew{c.TB, c.h, c.dir, s}
}

func (c *crew) claim(name string) {
	c.Helper()
	if _, err := c.h.Checkout(c.Context(), c.ship, name, ""); err != nil {
		c.Fatal(err)
	}
}

// give merges one file of the ship's.
func (c *crew) give(name, file, text string) error {
	put(c, c.ship.dir, file, text)
	_, err := c.h.Merge(c.Context(), c.ship, sync.Merge{Name: name, Subject: file, Author: "E <e@e>"})
	return err
}

// slowed is a crew whose first ship has a file that git takes minutes to merge. Each merge-tree adds its process to a file.
func slowed(t *testing.T, opts Options) (c, other *crew, started func() []string) {
	log := filepath.Join(t.TempDir(), "started")
	wrapGit(t, `
if [ "$1" = merge-tree ]; then echo $$ >> `+log+`; fi
exec $real "$@"
`)
	c = enlist(t, opts)
	if err := c.give("ship-1", "big.txt", shortLines(1)); err != nil {
		t.Fatal(err)
	}
	other = c.second("ship-2")
	if err := other.give("ship-2", "big.txt", shortLines(2)); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, "big.txt", shortLines(3))
	return c, other, func() []string {
		b, _ := os.ReadFile(log)
		return strings.Fields(string(b))
	}
}

// TestLosingMergeGetsItsTurn has another ship merge during every check of a slow one, for as long as it is let.
func TestLosingMergeGetsItsTurn(t *testing.T) {
	c := enlist(t, Options{})
	c.checkout()
	other := c.second("ship-2")
	put(t, c.ship.dir, "slow.txt", "slow")
	last := make(chan error, 1)
	var judged []string
	m, err := c.h.Merge(t.Context(), c.ship, sync.Merge{
		Name: "ship-1", Subject: "slow", Author: "E <e@e>",
		Check: func(_ context.Context, candidate string) error {
			judged = append(judged, gitOutput(t, c.dir, "rev-parse", candidate+"^{tree}"))
			if len(judged) <= freeTries {
				return other.give("ship-2", "quick.txt", fmt.Sprint(len(judged)))
			}
			put(t, c.dir, "captain.txt", "edited")
			other.claim("ship-2") // which is granted, and moves nothing
			go func() { last <- other.give("ship-2", "quick.txt", "last") }()
			for waits := 0; waits == 0; {
				c.h.merging.mu.Lock()
				waits = c.h.merging.waiting
				c.h.merging.mu.Unlock()
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-last; err != nil {
		t.Fatal(err)
	}
	if len(judged) != freeTries+1 {
		t.Fatalf("%d checks", len(judged))
	}
	if tree := gitOutput(t, c.dir, "rev-parse", m.Commit+"^{tree}"); tree != judged[freeTries] {
		t.Fatalf("merged %s, judged %v", tree, judged)
	}
	if after := gitOutput(t, c.dir, "log", "--format=%s", m.Commit+"..HEAD"); after != "quick.txt\ncaptain: edits in workspace" {
		t.Fatalf("after the merge came:\n%s", after)
	}
	if !c.h.merging.rest.After(time.Now().Add(-time.Hour)) {
		t.Fatal("others waited, and nothing makes up for it")
	}
}

// TestRacingMerges has many ships merge with checks at once: all get in, each as it was judged.
func TestRacingMerges(t *testing.T) {
	c := enlist(t, Options{})
	c.checkout()
	var all stdsync.WaitGroup
	for i := range 4 {
		name := fmt.Sprint("racer-", i)
		s := c.second(name)
		all.Go(func() {
			for n := range 3 {
				put(t, s.ship.dir, name+".txt", fmt.Sprint(n))
				tree := ""
				m, err := c.h.Merge(t.Context(), s.ship, sync.Merge{
					Name: name, Subject: name, Author: "E <e@e>",
					Check: func(_ context.Context, candidate string) (err error) {
						tree, err = tryGit(c.dir, "rev-parse", candidate+"^{tree}")
						return err
					},
				})
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := tryGit(c.dir, "rev-parse", m.Commit+"^{tree}"); err != nil || got != tree {
					t.Errorf("%s: merged %s, judged %s", name, got, tree)
				}
			}
		})
	}
	all.Wait()
	if n := gitOutput(t, c.dir, "log", "--format=%s", "--grep=racer"); len(strings.Fields(n)) != 12 {
		t.Fatalf("merged:\n%s", n)
	}
	if left := gitOutput(t, c.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Fatal(left)
	}
}

// TestKilledWhileJudged kills a hub between judging a merge and moving the branch: all is as before, and work goes on.
func TestKilledWhileJudged(t *testing.T) {
	c := enlist(t, Options{})
	c.checkout()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	head := gitOutput(t, c.dir, "rev-parse", "HEAD")
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), hubVar+"="+c.dir+":"+c.ship.dir, judgeVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "judged" {
		t.Fatalf("the hub says %q", lines.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	h, err := Open(t.Context(), c.dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if gitOutput(t, c.dir, "rev-parse", "HEAD") != head || gitOutput(t, c.dir, "status", "--porcelain") != "" {
		t.Fatal("a merge that was never judged to the end is in")
	}
	c.h = h
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if gitOutput(t, c.dir, "rev-parse", "HEAD^") != head {
		t.Fatal("the work came in more than once")
	}
}

func TestKeptLockIsGivenBack(t *testing.T) {
	l := newMergeLock()
	kept, err := l.keep(t.Context(), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.lock(t.Context()); err != nil { // the term is over
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
