package hub

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/tasks/eventually"
)

// TestKilled kills the hub again and again while it merges. Each time the branch is whole, the captain's files and
// index agree with it, no edit of the captain's is invented or lost, and the next hub can merge.
func TestKilled(t *testing.T) {
	t.Parallel()
	c := enlist(t, Options{})
	put(t, c.dir, "captain.txt", "0\n")
	merged := 0
	for round := range rounds {
		edit := fmt.Sprintf("edit %d\n", round)
		merged += c.killedHub(edit)
		if _, err := tryGit(c.dir, "fsck", "--connectivity-only"); err != nil {
			t.Fatal("the repository is damaged")
		}
		h, err := Open(t.Context(), c.dir, "voyage", Options{})
		if err != nil {
			t.Fatal(err)
		}
		content(t, c.dir, "captain.txt", edit)
		// Only the captain's edit may differ from the branch.
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); strings.TrimLeft(dirt, "MA? ") != "captain.txt" && dirt != "" {
			t.Fatalf("round %d:\n%s", round, dirt)
		}
		if left := gitOutput(t, c.dir, "for-each-ref", git.RefPending); left != "" {
			t.Fatal(left)
		}
		c.h = h
		c.checkout()
		put(t, c.ship.dir, "after.txt", edit)
		if err := c.merge(); err != nil {
			t.Fatal(err)
		}
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
			t.Fatalf("round %d, after a merge:\n%s", round, dirt)
		}
		content(t, c.dir, "captain.txt", edit)
		content(t, c.dir, "after.txt", edit)
		h.Close()
	}
	// Every commit that changes the ship's file must be a merge and not the captain's edits.
	if by := gitOutput(t, c.dir, "log", "--format=%an", "--", "f0.txt"); strings.Contains(by, "Captain") {
		t.Fatal("a merge that was cut short was taken for the captain's edit")
	}
	t.Logf("%d merges by hubs that were killed", merged)
}

// killedHub runs a hub process, edits a file as the captain, and kills the process at a random moment. It returns how
// many merges the process completed.
func (c *crew) killedHub(edit string) int {
	c.Helper()
	exe, err := os.Executable()
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), hubVar+"="+c.dir+":"+c.ship.dir, "GORACE=atexit_sleep_ms=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // wait for the first merge
	put(c, c.dir, "captain.txt", edit)
	kill := time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	n := 1
	for lines.Scan() {
		n++
	}
	if err := cmd.Wait(); err == nil || said.Len() > 0 {
		c.Fatalf("the hub ended by itself: %v %s", err, said.String())
	}
	return n
}

// TestCutShort builds the state that a killed Workspace.Advance leaves after each of its steps, and has a new hub
// repair it.
func TestCutShort(t *testing.T) {
	for name, state := range map[string]struct {
		files  []string // paths that Advance had written
		branch bool     // Advance had moved the branch
		index  bool     // Advance had installed the index
		edited string   // path that the captain edited afterwards
	}{
		"nothing brought":         {},
		"some brought":            {files: []string{"a.txt"}},
		"all brought":             {files: []string{"a.txt", "new.txt"}},
		"branch moved":            {files: []string{"a.txt", "new.txt"}, branch: true},
		"all done":                {files: []string{"a.txt", "new.txt"}, branch: true, index: true},
		"some brought and edited": {files: []string{"new.txt"}, edited: "b.txt"},
		"edited over":             {files: []string{"a.txt"}, edited: "new.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := enlist(t, Options{})
			put(t, c.dir, "b.txt", "b\n")
			c.checkout()
			head := gitOutput(t, c.dir, "rev-parse", "HEAD")
			put(t, c.ship.dir, "a.txt", "ship's\n")
			put(t, c.ship.dir, "new.txt", "ship's\n")
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
			next := gitOutput(t, c.dir, "rev-parse", "HEAD")
			gitOutput(t, c.dir, "reset", "-q", "--hard", head)
			// From here on, build what a killed Advance to next leaves.
			put(t, c.dir, ".git/index.lock", git.OurLock)
			if !state.branch {
				gitOutput(t, c.dir, "update-ref", git.RefPending, next)
			}
			for _, path := range state.files {
				put(t, c.dir, path, "ship's\n")
			}
			if state.branch {
				gitOutput(t, c.dir, "update-ref", "refs/heads/voyage", next)
			}
			if state.index {
				os.Remove(c.dir + "/.git/index.lock")
				gitOutput(t, c.dir, "read-tree", next)
				put(t, c.dir, ".git/index.lock", git.OurLock)
			}
			if state.edited != "" {
				put(t, c.dir, state.edited, "captain's\n")
			}
			h, err := Open(t.Context(), c.dir, "voyage", Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			dirt := gitOutput(t, c.dir, "status", "--porcelain")
			if want := state.edited; strings.TrimLeft(dirt, "MA? ") != want {
				t.Fatalf("status is %q, want %q", dirt, want)
			}
			want := "a\n"
			if state.branch {
				want = "ship's\n"
			}
			content(t, c.dir, "a.txt", want)
			if state.edited != "" {
				content(t, c.dir, state.edited, "captain's\n")
			}
			c.h = h
			if _, err := h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "again", Author: "E <e@e>"}); err != nil {
				if _, ok := asConflict(err); !ok || state.edited != "new.txt" {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestForeignLock: a merge waits while the captain's git holds the index lock, and does not remove the lock.
func TestForeignLock(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "a.txt", "ship's\n")
	put(t, c.dir, ".git/index.lock", "")
	done := make(chan error, 1)
	go func() { done <- c.merge() }()
	select {
	case err := <-done:
		t.Fatalf("the merge did not wait: %v", err)
	case <-eventually.Later(700 * time.Millisecond):
	}
	if err := os.Remove(c.dir + "/.git/index.lock"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	content(t, c.dir, "a.txt", "ship's\n")
}
