//go:build long

package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// Messages that are too many to look through are not kept. The files are.
func TestLongMessagesAreNotKept(t *testing.T) {
	c := enlist(t, Options{Clean: func(s string) string { return s }})
	dir := c.ship.dir
	long := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(long, []byte(strings.Repeat("so it goes\n", git.MaxOutput/22+1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"one.txt", "two.txt"} {
		put(t, dir, file, file+"\n")
		gitOutput(t, dir, "add", "-A")
		gitOutput(t, dir, "commit", "-q", "-F", long)
	}
	order := sync.Merge{Name: "ship-1", Subject: "work", Author: "E <e@e>", Keep: "refs/ocaptain/tasks/1"}
	if _, err := c.h.Merge(t.Context(), c.ship, order); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "log", "--format=%s", order.Keep, "^voyage"); strings.Count(got, unread) < 2 {
		t.Errorf("kept %.300q", got)
	}
	if changes := gitOutput(t, c.dir, "diff", "--name-only", "voyage", order.Keep); changes != "" {
		t.Errorf("kept with other files: %s", changes)
	}
}
