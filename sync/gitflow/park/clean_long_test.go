//go:build long

package park

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

// TestLongMessagesAreNotKept: Cleaned replaces messages that are too long to read, and keeps the files.
func TestLongMessagesAreNotKept(t *testing.T) {
	p, dir := begin(t)
	long := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(long, []byte(strings.Repeat("so it goes\n", git.MaxOutput/22+1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Git(t, dir, "checkout", "-q", "-b", "work")
	for _, file := range []string{"one.txt", "two.txt"} {
		synctest.Put(t, dir, file, file+"\n")
		synctest.Git(t, dir, "add", "-A")
		synctest.Git(t, dir, "commit", "-q", "-F", long)
	}
	kept, err := p.Cleaned(t.Context(), synctest.Git(t, dir, "rev-parse", "work"), "")
	if err != nil {
		t.Fatal(err)
	}
	if got := synctest.Git(t, dir, "log", "--format=%s", "voyage.."+kept); strings.Count(got, unread) != 2 {
		t.Errorf("kept %.300q", got)
	}
	if changes := synctest.Git(t, dir, "diff", "--name-only", "work", kept); changes != "" {
		t.Errorf("kept with other files: %s", changes)
	}
}
