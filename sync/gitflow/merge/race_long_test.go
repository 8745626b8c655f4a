//go:build long

package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
	"ocaptain/tasks/eventually"
)

// shortLines returns a file of many short lines. Git takes minutes to merge two such files.
func shortLines(seed uint32) string {
	var b strings.Builder
	for range 3_000_000 {
		seed = seed*1664525 + 1013904223
		b.WriteByte('a' + byte(seed>>24)%16)
		b.WriteByte('\n')
	}
	return b.String()
}

// slowed returns a bench and a commit slow that changes the same large file as the branch, so that git takes minutes
// to merge them. started returns the pids of all git merge-tree processes so far.
func slowed(t *testing.T, mergeTime time.Duration) (b *bench, slow string, started func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	log := filepath.Join(bin, "started")
	script := "#!/bin/sh\nif [ \"$1\" = merge-tree ]; then echo $$ >>" + log + "; fi\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	b = begin(t, mergeTime)
	b.base = b.work("big.txt", shortLines(1))
	synctest.Git(t, b.dir, "reset", "-q", "--hard", b.base)
	if err := b.give("big.txt", shortLines(2)); err != nil {
		t.Fatal(err)
	}
	return b, b.work("big.txt", shortLines(3)), func() []string {
		raw, _ := os.ReadFile(log)
		return strings.Fields(string(raw))
	}
}

// TestSlowMergeStopsNobody lands files while git merges a file of many short lines for as long as it likes.
func TestSlowMergeStopsNobody(t *testing.T) {
	b, slow, started := slowed(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := b.Land(ctx, slow, order("slow"))
		ended <- err
	}()
	for len(started()) < 2 { // the first merge-tree, which held the merge lock, is over
		select {
		case err := <-ended:
			t.Fatalf("the slow merge ended: %v", err)
		case <-eventually.Later(10 * time.Millisecond):
		}
	}
	for i := range 5 {
		if err := b.give(fmt.Sprint("quick", i), "quick"); err != nil {
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
		if raw, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(raw), "merge-tree") {
			t.Errorf("process %s is still at work", pid)
		}
	}
}

// TestSlowMergeIsRefused: when git runs out of time, the error names the file.
func TestSlowMergeIsRefused(t *testing.T) {
	b, slow, _ := slowed(t, 500*time.Millisecond)
	head := synctest.Git(t, b.dir, "rev-parse", "HEAD")
	var refused *sync.Refused
	if _, err := b.Land(t.Context(), slow, order("slow")); !errors.As(err, &refused) || len(refused.Paths) != 1 || refused.Paths[0] != "big.txt" {
		t.Fatal(err)
	}
	if synctest.Git(t, b.dir, "rev-parse", "HEAD") != head || synctest.Git(t, b.dir, "status", "--porcelain") != "" {
		t.Fatal("a refused merge changed something")
	}
	if left := synctest.Git(t, b.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Fatal(left)
	}
	if err := b.give("small.txt", "s"); err != nil {
		t.Fatal(err)
	}
}
