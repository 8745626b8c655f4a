package hub

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/sync"
)

// TestLinks replaces links by directories and directories by links: git must never write through a link.
func TestLinks(t *testing.T) {
	h, dir, _ := forge(t, Options{})
	outside := t.TempDir()
	put(t, outside, "victim", "untouched")
	s := direct{filepath.Join(t.TempDir(), "workspace")}
	merge := func(subject string) {
		t.Helper()
		if _, err := h.Merge(t.Context(), s, sync.Merge{Name: "ship-1", Subject: subject, Author: "E <e@e>"}); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(outside, "victim")); err != nil || string(b) != "untouched" {
			t.Fatalf("after %s: %q, %v", subject, b, err)
		}
		if all, err := os.ReadDir(outside); err != nil || len(all) != 1 {
			t.Fatalf("after %s: %v, %v", subject, all, err)
		}
	}
	if _, err := h.Checkout(t.Context(), s, "ship-1", ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	merge("a link")
	if err := os.Remove(filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	put(t, s.dir, "way/victim", "overwritten")
	put(t, s.dir, "way/other", "new")
	merge("a directory where the link was")
	if b, err := os.ReadFile(filepath.Join(dir, "way/victim")); err != nil || string(b) != "overwritten" {
		t.Fatalf("%q, %v", b, err)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	merge("a link where the directory was")
}
