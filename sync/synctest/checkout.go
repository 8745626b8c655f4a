package synctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
)

func checkout(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "dir/b.txt": "b\n"})
	s := b.ship("ship-0")
	s.has("a.txt", "a\n")
	s.has("dir/b.txt", "b\n")
	// A repeated checkout changes nothing, not even the time of the index.
	before, err := os.Stat(filepath.Join(s.dir, ".git/index"))
	must(t, err)
	if c, err := b.Work.Checkout(b.ctx, s, s.name, ""); err != nil || c.Parked != "" {
		t.Fatalf("parked %q from a clean tree, %v", c.Parked, err)
	}
	after, err := os.Stat(filepath.Join(s.dir, ".git/index"))
	must(t, err)
	if !before.ModTime().Equal(after.ModTime()) {
		t.Fatal("a second checkout touched the index")
	}
	// A checkout includes what another remote merged.
	other := b.ship("ship-1")
	other.put("a.txt", "a2\n")
	other.merge("one")
	s.checkout()
	s.has("a.txt", "a2\n")
}

// at checks out a commit that is not the head of the branch.
func at(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	first := b.head()
	s.put("a.txt", "two\n")
	second := s.merge("two").Commit
	b.git("checkout", "-q", "-b", "side", first)
	b.put("side.txt", "side\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "side")
	side := b.git("rev-parse", "HEAD")
	b.git("checkout", "-q", Branch)
	b.put("note.txt", "captain's\n")
	if c := s.checkoutAt(first); c.Parked != "" {
		t.Fatalf("merged work was parked on %s", c.Parked)
	}
	s.has("a.txt", "a\n")
	if c := s.checkoutAt(side); c.Parked != "" {
		t.Fatalf("parked %s from a clean tree", c.Parked)
	}
	s.has("side.txt", "side\n")
	s.has("note.txt", "")
	if got := b.git("status", "--porcelain"); b.head() != second || got != "?? note.txt" {
		t.Fatalf("the captain's edit was taken: %q, head %s", got, b.head())
	}
	s.put("side.txt", "half done\n")
	if snap := s.snapshot(); snap.Base != side || snap.Changed != 1 {
		t.Fatalf("%+v, want 1 file that grew from %s", snap, side)
	}
	b.Work = b.Reopen(t)
	if snap := s.snapshot(); snap.Base != side || snap.Changed != 1 {
		t.Fatalf("after opening anew: %+v", snap)
	}
	c := s.checkoutAt(first)
	if c.Parked == "" || b.show(c.Parked, "side.txt") != "half done" {
		t.Fatalf("parked on %q", c.Parked)
	}
	s.has("side.txt", "")
	for _, wrong := range []string{strings.Repeat("1", len(first)), "HEAD", "one\ntwo", b.git("rev-parse", first+"^{tree}")} {
		if _, err := b.Work.Checkout(b.ctx, s, s.name, wrong); err == nil || !strings.Contains(err.Error(), strings.Fields(wrong)[0]) {
			t.Errorf("checkout at %q got %v", wrong, err)
		}
	}
	s.checkout() // the head of the branch again, with the captain's edit
	s.has("note.txt", "captain's\n")
	s.has("a.txt", "two\n")
}

// checkoutAt checks out a commit.
func (s *ship) checkoutAt(commit string) sync.Checkout {
	s.b.Helper()
	c, err := s.b.Work.Checkout(s.b.ctx, s, s.name, commit)
	if err != nil {
		s.b.Fatal(err)
	}
	if head := s.git("rev-parse", "HEAD"); c.Commit != commit || head != commit {
		s.b.Fatalf("checkout to %s, HEAD is %s, want %s", c.Commit, head, commit)
	}
	if dirt := s.git("status", "--porcelain"); dirt != "" {
		s.b.Fatalf("tree is not clean after checkout: %s", dirt)
	}
	return c
}

func parked(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "gone.txt": "gone\n", ".gitignore": "build/\n"})
	s := b.ship("ship-0")
	s.put("a.txt", "changed\n")
	s.put("new/file.txt", "new\n")
	s.put("build/cache", "kept\n")
	must(t, os.Remove(filepath.Join(s.dir, "gone.txt")))
	s.git("add", "new/file.txt")
	s.git("commit", "-q", "-m", "half done")
	c := s.checkout()
	if !strings.HasPrefix(c.Parked, "refs/ocaptain/parked/") {
		t.Fatalf("parked on %q", c.Parked)
	}
	if got := b.show(c.Parked, "a.txt") + b.show(c.Parked, "new/file.txt"); got != "changednew" {
		t.Fatalf("parked %q", got)
	}
	if _, err := TryGit(b.Dir, "cat-file", "-e", c.Parked+":gone.txt"); err == nil {
		t.Fatal("a deleted file was parked")
	}
	s.has("a.txt", "a\n")
	s.has("gone.txt", "gone\n")
	s.has("new/file.txt", "")
	s.has("build/cache", "kept\n")
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked again on %s", c.Parked)
	}
	s.put("a.txt", "another\n")
	if d := s.checkout(); d.Parked == "" || d.Parked == c.Parked || b.show(c.Parked, "a.txt") != "changed" {
		t.Fatalf("the second leftover went to %q, the first to %q", d.Parked, c.Parked)
	}
}

func shapes(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"run.sh": "#!/bin/sh\n", "file": "file\n", "dir/in": "in\n", "plain": "plain\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	at := func(path string) string { return filepath.Join(s.dir, path) }
	must(t, os.Chmod(at("run.sh"), 0o755)) // only the mode changes
	must(t, os.Remove(at("file")))         // a file becomes a directory
	s.put("file/inside", "inside\n")
	must(t, os.RemoveAll(at("dir"))) // a directory becomes a link
	must(t, os.Symlink("file", at("dir")))
	must(t, os.Remove(at("plain"))) // a file becomes a link that leads outside
	must(t, os.Symlink("../../../etc/passwd", at("plain")))
	if m := s.merge("shapes"); m.Changed != 6 {
		t.Fatalf("%d files changed, want 6", m.Changed)
	}
	other.checkout()
	for _, dir := range []string{b.Dir, other.dir} {
		if st, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || st.Mode()&0o111 == 0 {
			t.Fatalf("run.sh in %s: %v, %v", dir, st, err)
		}
		Has(t, dir, "file/inside", "inside\n")
		for path, want := range map[string]string{"dir": "file", "plain": "../../../etc/passwd"} {
			if to, err := os.Readlink(filepath.Join(dir, path)); err != nil || to != want {
				t.Fatalf("%s leads to %q, %v", path, to, err)
			}
		}
	}
	// And back to the first kinds of files.
	must(t, os.Remove(at("dir")))
	s.put("dir/in", "in again\n")
	must(t, os.RemoveAll(at("file")))
	s.put("file", "file again\n")
	must(t, os.Chmod(at("run.sh"), 0o644))
	s.merge("back")
	other.checkout()
	other.has("dir/in", "in again\n")
	other.has("file", "file again\n")
	b.has("dir/in", "in again\n")
}

func names(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	odd := []string{"new\nline", "-rf", "--help", "ünïcödé", "日本/語", "tab\there", "spa ce", `back\slash`, `"quoted"`, ":(top)x", "*", "a\x7fb", strings.Repeat("n", 255)}
	for i, name := range odd {
		s.put(name, strings.Repeat("x", i+1))
	}
	if m := s.merge("names"); m.Changed != len(odd) {
		t.Fatalf("%d files changed, want %d", m.Changed, len(odd))
	}
	other.checkout()
	for i, name := range odd {
		other.has(name, strings.Repeat("x", i+1))
		b.has(name, strings.Repeat("x", i+1))
		must(t, os.Remove(filepath.Join(other.dir, name)))
	}
	if m := other.merge("removed"); m.Changed != len(odd) {
		t.Fatalf("%d files removed, want %d", m.Changed, len(odd))
	}
	b.has("-rf", "")
}

func ignored(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{".gitignore": "*.log\n", "a.txt": "a\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	// A file that is tracked although it is ignored.
	b.put("kept.log", "one\n")
	b.git("add", "-f", "kept.log")
	s.checkout()
	s.has("kept.log", "one\n")
	s.put("kept.log", "two\n")
	s.put("other.log", "ignored\n")
	if m := s.merge("log"); m.Changed != 1 {
		t.Fatalf("%d files changed, want 1", m.Changed)
	}
	b.has("kept.log", "two\n")
	b.has("other.log", "")
	// A file in a tree that the branch now ignores: it must be parked, and not stop the checkout.
	other.checkout()
	other.put("out/result", "result\n")
	b.put(".gitignore", "*.log\nout\n")
	c := other.checkout()
	if c.Parked == "" || b.show(c.Parked, "out/result") != "result" {
		t.Fatalf("parked on %q", c.Parked)
	}
	other.has("out/result", "")
	// A file that is ignored in a tree and tracked on the branch: the branch wins.
	other.put("late.log", "mine\n")
	b.put("late.log", "the branch's\n")
	b.git("add", "-f", "late.log")
	other.checkout()
	other.has("late.log", "the branch's\n")
}

func empty(t *testing.T, open func(*testing.T, string) Rig) {
	b := &bench{T: t, Rig: open(t, ""), ctx: t.Context()}
	s, other := b.ship("ship-0"), b.ship("ship-1")
	if m := s.merge("nothing"); m.Changed != 0 {
		t.Fatalf("%d files changed", m.Changed)
	}
	s.put("first.txt", "first\n")
	s.merge("first")
	b.has("first.txt", "first\n")
	other.checkout()
	other.has("first.txt", "first\n")
	must(t, os.Remove(filepath.Join(other.dir, "first.txt")))
	other.merge("empty-again")
	b.has("first.txt", "")
	s.checkout()
	s.has("first.txt", "")
}

func operation(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	// A merge that the agent has not finished, on a branch of its own.
	s.git("checkout", "-q", "-b", "side")
	s.put("a.txt", "side\n")
	s.git("commit", "-q", "-am", "side")
	s.git("checkout", "-q", "-b", "mine", "HEAD^")
	s.put("a.txt", "mine\n")
	s.git("commit", "-q", "-am", "mine")
	if _, err := TryGit(s.dir, "merge", "side"); err == nil {
		t.Fatal("the merge should conflict")
	}
	c := s.checkout()
	if c.Parked == "" || !strings.Contains(b.show(c.Parked, "a.txt"), "<<<<<<<") {
		t.Fatalf("parked on %q", c.Parked)
	}
	s.has("a.txt", "a\n")
	if got := s.git("status"); strings.Contains(got, "merging") || strings.Contains(got, "unmerged") {
		t.Fatalf("still merging: %s", got)
	}
	// A rebase with a detached HEAD, and the lock of a killed git.
	s.git("checkout", "-q", "mine")
	if _, err := TryGit(s.dir, "rebase", "side"); err == nil {
		t.Fatal("the rebase should conflict")
	}
	s.put(".git/index.lock", "")
	s.checkout()
	s.has("a.txt", "a\n")
	if got := s.git("status"); strings.Contains(got, "rebas") {
		t.Fatalf("still rebasing: %s", got)
	}
	s.put("a.txt", "after\n")
	s.merge("after")
}
