package hub

import (
	"archive/tar"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/intake"
)

// TestIgnoredLater: the next snapshot leaves out files that a new .gitignore rule ignores, though the last snapshot
// had them. Files in a commit or in the ship's own index stay.
func TestIgnoredLater(t *testing.T) {
	c := enlist(t, Options{})
	names := func() []string {
		t.Helper()
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", snap.Commit))
	}
	before := names()
	for _, name := range []string{"deps/a", "deps/b", "out.log", "kept.log", "forced.log", "made"} {
		put(t, c.ship.dir, name, name)
	}
	gitOutput(t, c.ship.dir, "add", "kept.log")
	gitOutput(t, c.ship.dir, "commit", "-q", "-m", "a log")
	if got := names(); len(got) != len(before)+6 {
		t.Fatalf("the first copy has %q", got)
	}
	gitOutput(t, c.ship.dir, "add", "forced.log")
	put(t, c.ship.dir, ".gitignore", "deps\n*.log\n")
	if err := os.MkdirAll(filepath.Join(c.ship.dir, ".git", "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, ".git/info/exclude", "/made\n")
	put(t, c.ship.dir, "deps/a", "changed meanwhile")
	want := append(before, ".gitignore", "forced.log", "kept.log")
	slices.Sort(want)
	for range 2 {
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("a copy has %q, not %q", got, want)
		}
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, ".gitignore", "*\n")
	put(t, c.ship.dir, "a.txt", "changed")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", "voyage")); !slices.Equal(got, want) {
		t.Errorf("the branch has %q, not %q", got, want)
	}
	c.checkout()
	put(t, c.ship.dir, ".gitignore", "**\n")
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("of files that are on the branch a copy has %q, not %q", got, want)
	}
}

// TestBrought: files that helm put into the clone beside git are in no snapshot and no merge, even if no rule ignores
// them. Such a file is included if the checked-out commit has it.
func TestBrought(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, ".env", "SECRET=1")
	put(t, c.ship.dir, "a.txt", "work")
	put(t, c.ship.dir, ".git/ocaptain/brought.json", `{".env": "x", "a.txt": "y"}`)
	for _, rules := range []string{".env\n", "!.env\n"} {
		put(t, c.ship.dir, ".gitignore", rules)
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		if got := gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", snap.Commit); strings.Contains(got, ".env") || !strings.Contains(got, "a.txt") {
			t.Errorf("with %q a copy has %q", rules, got)
		}
	}
	gitOutput(t, c.ship.dir, "add", "-f", ".env")
	gitOutput(t, c.ship.dir, "commit", "-q", "-m", "what no one asked for")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", "voyage"); strings.Contains(got, ".env") {
		t.Errorf("the branch has %q", got)
	}
	if got := gitOutput(t, c.dir, "show", "voyage:a.txt"); got != "work" {
		t.Errorf("a file of the branch was brought, and its change is not merged: %q", got)
	}
	if _, err := os.Stat(filepath.Join(c.ship.dir, ".env")); err != nil {
		t.Error(err)
	}
}

// TestWithheld: the hub refuses work with the content of a secret file, whatever the file is called now. Once the
// content is gone, the hub merges the work.
func TestWithheld(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "bring.tar")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	for name, text := range map[string]string{".env": "PASSWORD=hunter2hunter2\n", "cache": "this is in many files\n", "short": "A=1\n"} {
		h := &tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600}
		if name != "cache" {
			h.PAXRecords = map[string]string{intake.WithheldRecord: "secret"}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	c := enlist(t, Options{Withheld: archive})
	put(t, c.ship.dir, "work", "this is in many files\n")
	put(t, c.ship.dir, "short", "A=1\n")
	put(t, c.ship.dir, "deep/copy.txt", "PASSWORD=hunter2hunter2\n")
	var refused *sync.Refused
	if _, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); !errors.As(err, &refused) || len(refused.Paths) != 1 || refused.Paths[0] != "deep/copy.txt" {
		t.Errorf("a copy is taken: %v", err)
	}
	if err := c.merge(); !errors.As(err, &refused) {
		t.Errorf("a merge is made: %v", err)
	}
	gitOutput(t, c.ship.dir, "add", "-A")
	gitOutput(t, c.ship.dir, "commit", "-q", "-m", "with the copy")
	if err := os.Remove(filepath.Join(c.ship.dir, "deep/copy.txt")); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); !errors.As(err, &refused) || !strings.Contains(refused.Why, "a commit of yours has a secret") {
		t.Errorf("a merge is made of a commit that is gone from the tree alone: %v", err)
	}
	if err := exec.CommandContext(t.Context(), "git", "-C", c.dir, "cat-file", "-e", gitOutput(t, c.ship.dir, "rev-parse", "HEAD:deep/copy.txt")).Run(); err == nil {
		t.Error("the hub has the secret")
	}
	gitOutput(t, c.ship.dir, "reset", "-q", "--soft", "HEAD~1")
	gitOutput(t, c.ship.dir, "add", "-A")
	if err := c.merge(); err != nil {
		t.Error(err)
	}
}
