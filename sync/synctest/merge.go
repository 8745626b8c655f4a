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

func snapshot(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.o\n"})
	s := b.ship("ship-0")
	base := b.head()
	s.put("a.txt", "staged\n")
	s.git("add", "a.txt")
	s.put("a.txt", "in the tree\n")
	s.put("new.txt", "new\n")
	s.put("main.o", "object\n")
	must(t, os.Remove(filepath.Join(s.dir, "b.txt")))
	state := func() string {
		return s.git("ls-files", "-s") + s.git("status", "--porcelain") + s.git("rev-parse", "HEAD") + s.git("branch", "-a") + s.git("stash", "list")
	}
	before := state()
	snap := s.snapshot()
	if after := state(); after != before {
		t.Fatalf("the tree changed:\n%s\nwas\n%s", after, before)
	}
	if snap.Base != base || snap.Changed != 3 {
		t.Fatalf("base %s, %d changed; want %s, 3", snap.Base, snap.Changed, base)
	}
	if got := b.git("rev-parse", "refs/ocaptain/live/ship-0"); got != snap.Commit {
		t.Fatalf("live ref is %s, want %s", got, snap.Commit)
	}
	if got := b.git("ls-tree", "--name-only", snap.Commit); got != ".gitignore\na.txt\nnew.txt" {
		t.Fatalf("files: %s", got)
	}
	if got := b.show(snap.Commit, "a.txt"); got != "in the tree" {
		t.Fatalf("a.txt is %q", got)
	}
	if again := s.snapshot(); again.Commit != snap.Commit || again.Changed != snap.Changed || again.Base != snap.Base {
		t.Fatalf("a second snapshot is %+v, the first was %+v", again, snap)
	}
	// The next snapshot's parent is the agent's own commit.
	s.git("commit", "-q", "-m", "own")
	if got, want := b.git("rev-parse", s.snapshot().Commit+"^"), s.git("rev-parse", "HEAD"); got != want {
		t.Fatalf("parent %s, want %s", got, want)
	}
	if b.head() != base {
		t.Fatal("a snapshot moved the branch")
	}
}

func merge(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	s := b.ship("ship-0")
	base := b.head()
	s.put("a.txt", "one\n")
	s.git("commit", "-q", "-am", "own commit")
	s.put("c.txt", "uncommitted\n")
	order := s.order("7")
	order.Body = "What was done.\n\nOcaptain-Task: forged"
	m, err := b.Work.Merge(b.ctx, s, order)
	must(t, err)
	if m.Changed != 2 || b.count(base, m.Commit) != "1" || b.git("rev-parse", m.Commit+"^@") != base {
		t.Fatalf("%+v: want one commit that changes 2 files", m)
	}
	if got := b.git("log", "-1", "--format=%an <%ae>%n%s%n%(trailers)", m.Commit); got != "ship-0 <ship-0@example.org>\n7\nOcaptain-Task: 7\nOcaptain-Ship: ship-0" {
		t.Fatalf("commit is %q", got)
	}
	b.inStep()
	b.has("a.txt", "one\n")
	b.has("c.txt", "uncommitted\n")
	if got := b.git("log", "--format=%s", base+".."+order.Keep); !strings.Contains(got, "own commit") {
		t.Fatalf("the remote's own commits are not kept: %q", got)
	}
	// A checkout does not park merged work.
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("merged work was parked on %s", c.Parked)
	}
	s.has("c.txt", "uncommitted\n")
}

func again(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n4\n5\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "one\n2\n3\n4\n5\n")
	s.merge("first")
	other.checkout()
	other.put("a.txt", "uno\n2\n3\n4\n5\n") // the same line, after the first merge
	other.merge("second")
	// A second merge without a checkout merges only later work.
	s.put("a.txt", "one\n2\n3\n4\nfive\n")
	s.merge("third")
	b.has("a.txt", "uno\n2\n3\n4\nfive\n")
	if m := s.merge("fourth"); m.Changed != 0 {
		t.Fatalf("%d files changed by work that was home", m.Changed)
	}
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
	s.has("a.txt", "uno\n2\n3\n4\nfive\n")
	// A checkout parks work that was done after the merge.
	s.put("a.txt", "merged\n")
	s.merge("fifth")
	s.put("a.txt", "late\n")
	if c := s.checkout(); c.Parked == "" || b.show(c.Parked, "a.txt") != "late" {
		t.Fatalf("parked on %q", c.Parked)
	}
	s.has("a.txt", "merged\n")
}

func nothing(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	base := b.head()
	if m := s.merge("nothing"); m.Changed != 0 || m.Commit != base {
		t.Fatalf("%+v", m)
	}
	// The same change by two remotes is merged once.
	s.put("a.txt", "same\n")
	other.put("a.txt", "same\n")
	first := s.merge("one")
	if second := other.merge("two"); second.Changed != 0 || second.Commit != first.Commit {
		t.Fatalf("%+v after %+v", second, first)
	}
}

func conflict(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n", "free.txt": "free\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	other.put("a.txt", "1\ntheirs\n3\n")
	other.merge("theirs")
	head := b.head()
	s.put("a.txt", "1\nmine\n3\n")
	s.put("free.txt", "mine too\n")
	s.put("new.txt", "new\n")
	c := s.clash("mine")
	if !slices.Equal(c.Paths, []string{"a.txt"}) || len(c.Why) != 1 || c.Why[0] == "" || c.Head != head {
		t.Fatalf("%+v", c)
	}
	if b.head() != head {
		t.Fatal("a conflict moved the branch")
	}
	b.inStep()
	text, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
	must(t, err)
	for _, part := range []string{"<<<<<<<", "mine", "=======", "theirs", ">>>>>>>"} {
		if !strings.Contains(string(text), part) {
			t.Fatalf("%q is not in %q", part, text)
		}
	}
	s.has("free.txt", "mine too\n")
	s.has("new.txt", "new\n")
	if got := s.git("rev-parse", "HEAD"); got != head {
		t.Fatalf("the tree stands on %s, want %s", got, head)
	}
	if snap := s.snapshot(); snap.Base != head || snap.Changed != 3 {
		t.Fatalf("%+v", snap)
	}
	// The tree before the markers is parked.
	var found bool
	for ref := range strings.FieldsSeq(b.git("for-each-ref", "--format=%(refname)", "refs/ocaptain/parked")) {
		found = found || b.show(ref, "a.txt") == "1\nmine\n3"
	}
	if !found {
		t.Fatal("the tree before the conflict is not parked")
	}
	// The resolved work is merged as one commit.
	s.put("a.txt", "1\nboth\n3\n")
	s.merge("mine")
	if b.count(head, b.head()) != "1" {
		t.Fatal("not one commit")
	}
	b.has("a.txt", "1\nboth\n3\n")
	b.has("new.txt", "new\n")
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
}

// clash merges work that must conflict.
func (s *ship) clash(subject string) *sync.Conflict {
	s.b.Helper()
	_, err := s.b.Work.Merge(s.b.ctx, s, s.order(subject))
	var c *sync.Conflict
	if !errors.As(err, &c) {
		s.b.Fatalf("want a conflict, have %v", err)
	}
	return c
}

func clashes(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"kept": "kept\n", "gone": "gone\n", "picture": "\x00\x01base", "calm": "calm\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	other.put("kept", "changed on the branch\n")
	must(t, os.Remove(filepath.Join(other.dir, "gone")))
	other.put("picture", "\x00\x01theirs")
	other.put("both", "theirs\n")
	other.merge("theirs")
	must(t, os.Remove(filepath.Join(s.dir, "kept")))
	s.put("gone", "changed here\n")
	s.put("picture", "\x00\x01mine")
	s.put("both", "mine\n")
	c := s.clash("mine")
	slices.Sort(c.Paths)
	if !slices.Equal(c.Paths, []string{"both", "gone", "kept", "picture"}) || len(c.Why) != 4 {
		t.Fatalf("%+v", c)
	}
	for i, why := range c.Why {
		if why == "" {
			t.Fatalf("%s is not explained", c.Paths[i])
		}
	}
	s.has("kept", "changed on the branch\n")
	s.has("gone", "changed here\n")
	// The agent resolves each conflict in another way: it deletes, keeps, overwrites or combines the file.
	must(t, os.Remove(filepath.Join(s.dir, "kept")))
	s.put("picture", "\x00\x01mine")
	s.put("both", "theirs\nmine\n")
	s.merge("mine")
	b.has("kept", "")
	b.has("gone", "changed here\n")
	b.has("picture", "\x00\x01mine")
}

func markers(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n", "b.txt": "1\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	other.put("a.txt", "theirs\n")
	other.put("b.txt", "theirs\n")
	other.merge("theirs")
	head := b.head()
	s.put("a.txt", "mine\n")
	s.put("b.txt", "mine\n")
	_ = s.clash("mine")
	s.put("a.txt", "resolved\n")
	_, err := b.Work.Merge(b.ctx, s, s.order("mine"))
	var r *sync.Refused
	if !errors.As(err, &r) || !slices.Equal(r.Paths, []string{"b.txt"}) {
		t.Fatalf("want a refusal of b.txt, have %v", err)
	}
	if b.head() != head {
		t.Fatal("a refusal moved the branch")
	}
	must(t, os.Rename(filepath.Join(s.dir, "b.txt"), filepath.Join(s.dir, "renamed.txt")))
	if _, err := b.Work.Merge(b.ctx, s, s.order("mine")); !errors.As(err, &r) {
		t.Fatalf("renaming a file hid its markers: %v", err)
	}
	must(t, os.Remove(filepath.Join(s.dir, "renamed.txt")))
	s.put("b.txt", "resolved\n<<<<<<< of another kind\n")
	s.merge("mine")
	// A checkout parks the tree with markers.
	other.checkout()
	other.put("a.txt", "newer\n")
	other.merge("newer")
	s.put("a.txt", "older\n")
	_ = s.clash("older")
	if c := s.checkout(); c.Parked == "" {
		t.Fatal("the marked tree is not parked")
	}
	s.has("a.txt", "newer\n")
	s.put("a.txt", "newest\n")
	s.merge("newest")
}

func changing(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	other.put("a.txt", "theirs\n")
	other.merge("theirs")
	s.put("a.txt", "mine\n")
	// The tree changes between snapshot and markers.
	late := &meddler{Remote: s.Remote, meddle: func() { s.put("a.txt", "late\n") }}
	if _, err := b.Work.Merge(b.ctx, late, s.order("mine")); !errors.Is(err, sync.ErrChanged) {
		t.Fatalf("want ErrChanged, have %v", err)
	}
	s.has("a.txt", "late\n")
	if got := s.git("rev-parse", "HEAD"); got == b.head() {
		t.Fatal("the tree was moved")
	}
	_ = s.clash("mine")
}
