package synctest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

// giveBack calls PutBack and expects conflicts in the given files.
func (s *ship) giveBack(commit string, clashes ...string) {
	s.b.Helper()
	stood := s.git("rev-parse", "HEAD")
	c, err := s.b.Work.PutBack(s.b.ctx, s, s.name, commit)
	if err != nil {
		s.b.Fatal(err)
	}
	if (c == nil) != (len(clashes) == 0) || c != nil && (!slices.Equal(c.Paths, clashes) || len(c.Why) != len(clashes) || c.Head != stood) {
		s.b.Fatalf("put back with %+v, want clashes in %q", c, clashes)
	}
	if now := s.git("rev-parse", "HEAD"); now != stood || s.git("diff", "--cached", "--name-only") != "" {
		s.b.Fatalf("the tree stands on %s and stood on %s", now, stood)
	}
}

// putBack merges work to a ref, gives the tree another task, and puts the work into another tree.
func putBack(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n4\n5\n", "gone.txt": "gone\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "1\n2\n3\n4\nmine\n")
	s.put("new.txt", "new\n")
	must(t, os.Remove(filepath.Join(s.dir, "gone.txt")))
	work := s.handIn("1", false).Commit
	s.checkout()
	s.put("else.txt", "else\n")
	s.handIn("2", false)
	other.put("a.txt", "theirs\n2\n3\n4\n5\n")
	head := other.merge("theirs").Commit
	other.checkout()
	for i := range 3 { // repeated, as if the reply had been lost
		if i == 2 {
			b.Work = b.Reopen(t)
		}
		other.giveBack(work)
		other.has("a.txt", "theirs\n2\n3\n4\nmine\n")
		other.has("new.txt", "new\n")
		other.has("gone.txt", "")
	}
	if snap := other.snapshot(); snap.Base != head || snap.Changed != 3 {
		t.Fatalf("%+v, want 3 files that grew from %s", snap, head)
	}
	other.put("new.txt", "mended\n")
	// PutBack must not overwrite a tree with later changes.
	if _, err := b.Work.PutBack(b.ctx, other, other.name, work); !errors.Is(err, sync.ErrChanged) {
		t.Fatalf("want ErrChanged, have %v", err)
	}
	other.has("new.txt", "mended\n")
	m := other.handIn("1", false)
	if m.Changed != 3 || b.show(m.Commit, "new.txt") != "mended" || b.show(m.Commit, "a.txt") != "theirs\n2\n3\n4\nmine" {
		t.Fatalf("%+v", m)
	}
	if c := other.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
	b.land(m.Commit, sync.Merge{})
	other.checkout()
	other.giveBack(m.Commit) // the branch already has this work
	if dirt := other.git("status", "--porcelain"); dirt != "" {
		t.Fatalf("there is %s", dirt)
	}
	// A checkout parks work that was put back.
	other.giveBack(b.git("rev-parse", shelf("2")))
	other.has("else.txt", "else\n")
	if c := other.checkout(); c.Parked == "" || b.show(c.Parked, "else.txt") != "else" {
		t.Fatalf("parked on %q", c.Parked)
	}
}

// putBackClash puts back work that conflicts with later merges.
func putBackClash(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n", "picture": "\x00\x01base"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "mine\n")
	s.put("picture", "\x00\x01mine")
	s.put("free.txt", "free\n")
	work := s.handIn("1", false).Commit
	other.put("a.txt", "theirs\n")
	other.put("picture", "\x00\x01theirs")
	other.merge("theirs")
	s.checkout()
	// The tree changes between the snapshot and the work.
	late := &meddler{Remote: s.Remote, meddle: func() { s.put("a.txt", "late\n") }}
	if _, err := b.Work.PutBack(b.ctx, late, s.name, work); !errors.Is(err, sync.ErrChanged) {
		t.Fatalf("want ErrChanged, have %v", err)
	}
	s.has("a.txt", "late\n")
	s.has("free.txt", "")
	if c := s.checkout(); c.Parked == "" {
		t.Fatal("what somebody wrote is lost")
	}
	for range 2 {
		s.giveBack(work, "a.txt", "picture")
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
	must(t, err)
	for _, part := range []string{"<<<<<<<", "mine", "=======", "theirs", ">>>>>>>"} {
		if !strings.Contains(string(text), part) {
			t.Fatalf("%q is not in %q", part, text)
		}
	}
	s.has("free.txt", "free\n")
	b.Work = b.Reopen(t)
	s.giveBack(work, "a.txt", "picture")
	order := s.order("1")
	order.Aside = shelf("1")
	var no *sync.Refused
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.As(err, &no) || !slices.Equal(no.Paths, []string{"a.txt"}) {
		t.Fatalf("want a refusal of the markers, have %v", err)
	}
	s.put("a.txt", "both\n")
	m := s.handIn("1", false)
	if m.Changed != 2 || b.show(m.Commit, "a.txt") != "both" || b.show(m.Commit, "free.txt") != "free" {
		t.Fatalf("%+v", m)
	}
	b.land(m.Commit, sync.Merge{})
	b.has("a.txt", "both\n")
}
