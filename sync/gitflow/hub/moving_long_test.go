//go:build long

package hub

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"

	"ocaptain/sync"
)

// TestMovingFiles takes snapshots of a tree and merges it while programs rewrite, truncate, rename and remove files
// in it. Each snapshot must have every untouched file, and of other files only states that the programs wrote.
func TestMovingFiles(t *testing.T) {
	const writers, rounds = 3, 6
	c := enlist(t, Options{})
	stop := make(chan struct{})
	var all stdsync.WaitGroup
	for seed := range uint64(writers) {
		all.Go(func() { scribble(c.ship.dir, seed, stop) })
	}
	halt := stdsync.OnceFunc(func() { close(stop); all.Wait() })
	t.Cleanup(halt)
	look := func(commit string, still int) {
		t.Helper()
		names := gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", commit)
		for name := range strings.FieldsSeq(names) {
			if strings.HasPrefix(name, "moving-") {
				b, err := c.h.repo.Bytes(t.Context(), nil, "show", commit+":"+name)
				if wrong := stateOf(string(b)); err != nil || wrong != "" {
					t.Errorf("%s: %s, %v", name, wrong, err)
				}
			}
		}
		for n := range still {
			if want := fmt.Sprintf("still-%d", n); !strings.Contains(names, want) {
				t.Errorf("%s is missing", want)
			}
		}
		if locks, _ := filepath.Glob(filepath.Join(c.ship.dir, ".git/ocaptain/*.lock")); len(locks) > 0 {
			t.Errorf("left behind: %v", locks)
		}
	}
	merged := 0
	for n := range rounds {
		put(t, c.ship.dir, fmt.Sprintf("still-%d", n), "still")
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		look(snap.Commit, n+1)
		m, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>"})
		var refused *sync.Refused
		switch {
		case err == nil:
			merged++
			look(m.Commit, n+1)
		case errors.As(err, &refused) && strings.Contains(refused.Error(), "moving-"):
		default:
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d merges went through", merged, rounds)
	halt()
	snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || len(snap.Notes) > 0 {
		t.Fatalf("%q, %v", snap.Notes, err)
	}
	gitOutput(t, c.ship.dir, "add", "-A")
	if files := gitOutput(t, c.ship.dir, "write-tree"); files != gitOutput(t, c.dir, "rev-parse", snap.Commit+"^{tree}") {
		t.Error("the last copy is not the tree")
	}
}
