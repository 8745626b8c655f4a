//go:build long

package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/tasks/eventually"
)

// TestSlowMergeStopsNobody has git merge a file of many short lines without end while another ship merges.
func TestSlowMergeStopsNobody(t *testing.T) {
	c, other, started := slowed(t, Options{MergeTime: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.h.Merge(ctx, c.ship, sync.Merge{Name: "ship-1", Subject: "slow", Author: "E <e@e>"})
		ended <- err
	}()
	for len(started()) < 2 { // the try that others wait for is over
		select {
		case err := <-ended:
			t.Fatalf("the slow merge ended: %v", err)
		case <-eventually.Later(10 * time.Millisecond):
		}
	}
	for i := range 5 {
		if err := other.give("ship-2", "quick.txt", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("the slow merge ended: %v", err)
	default:
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, pid := range started() {
		if b, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(b), "merge-tree") {
			t.Errorf("process %s is still at work", pid)
		}
	}
}

// TestSlowMergeIsRefused has git give up, and the ship told which file it was.
func TestSlowMergeIsRefused(t *testing.T) {
	c, _, _ := slowed(t, Options{MergeTime: 500 * time.Millisecond})
	head := gitOutput(t, c.dir, "rev-parse", "HEAD")
	if paths := c.refused(); len(paths) != 1 || paths[0] != "big.txt" {
		t.Fatal(paths)
	}
	if gitOutput(t, c.dir, "rev-parse", "HEAD") != head || gitOutput(t, c.dir, "status", "--porcelain") != "" {
		t.Fatal("a refused merge changed something")
	}
	if left := gitOutput(t, c.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Fatal(left)
	}
	if err := os.Remove(filepath.Join(c.ship.dir, "big.txt")); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	if err := c.give("ship-1", "small.txt", "s"); err != nil {
		t.Fatal(err)
	}
}
