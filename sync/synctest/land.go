package synctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	stdsync "sync"
	"testing"

	"ocaptain/sync"
)

// landing adds subject, author and trailer to m.
func landing(m sync.Merge) sync.Merge {
	m.Subject, m.Author = "landed", "Ann <ann@example.org>"
	m.Trailers = [][2]string{{"Ocaptain-Task", "landed"}}
	return m
}

// letIn is a Merge.Steers that allows all work.
func letIn(sync.Steering) error { return nil }

// land calls Land and checks the commit that it makes.
func (b *bench) land(commit string, order sync.Merge) sync.Merged {
	b.Helper()
	m, err := b.Work.Land(b.ctx, commit, landing(order))
	if err != nil {
		b.Fatal(err)
	}
	at := Branch
	if order.Aside != "" {
		at = order.Aside
	}
	if got := b.git("rev-parse", at); got != m.Commit {
		b.Fatalf("landed as %s, but %s is at %s", m.Commit, at, got)
	}
	b.inStep()
	return m
}

func land(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "1\n2\n3\n4\nmine\n")
	s.put("new.txt", "new\n")
	work := s.handIn("1", false).Commit
	s.checkout() // the remote goes on with another task
	other.put("a.txt", "theirs\n2\n3\n4\n5\n")
	head := other.merge("theirs").Commit
	b.put("b.txt", "captain's\n")
	// With Aside, Land makes the commit for a reviewer.
	m := b.land(work, sync.Merge{Aside: shelf("candidate")})
	if b.git("log", "-1", "--format=%s", Branch) != "captain: edits in workspace" || b.git("rev-parse", m.Commit+"^@") != b.head() || m.Changed != 2 {
		t.Fatalf("%+v", m)
	}
	if b.show(m.Commit, "a.txt") != "theirs\n2\n3\n4\nmine" || b.show(m.Commit, "b.txt") != "captain's" {
		t.Fatal("not what it would be")
	}
	b.has("new.txt", "")
	// A check fails.
	bad := errors.New("tests fail")
	before := b.head()
	var checked string
	order := landing(sync.Merge{Check: func(_ context.Context, candidate string) error { checked = candidate; return bad }})
	if _, err := b.Work.Land(b.ctx, work, order); !errors.Is(err, bad) || b.head() != before || b.show(checked, "new.txt") != "new" {
		t.Fatalf("want the check's error, have %v", err)
	}
	order.Check = nil
	order.Steers = func(sync.Steering) error { return bad }
	if _, err := b.Work.Land(b.ctx, work, order); err != nil { // the work changes no steering files
		t.Fatal(err)
	}
	if got := b.git("log", "-1", "--format=%an <%ae>%n%s%n%(trailers)%n%P"); got != "Ann <ann@example.org>\nlanded\nOcaptain-Task: landed\n\n"+before {
		t.Fatalf("commit is %q", got)
	}
	b.has("a.txt", "theirs\n2\n3\n4\nmine\n")
	b.inStep()
	if commit, err := b.Work.Find(b.ctx, "Ocaptain-Task", "landed"); err != nil || commit != b.head() {
		t.Fatalf("found %q, %v", commit, err)
	}
	// A second Land finds the work on the branch and calls no check; with Aside it makes a commit all the same.
	vain := func(context.Context, string) error { return errors.New("asked in vain") }
	if again := b.land(work, sync.Merge{Check: vain}); again.Changed != 0 || b.count(head, Branch) != "2" {
		t.Fatalf("%+v", again)
	}
	if again := b.land(work, sync.Merge{Aside: shelf("again")}); again.Changed != 0 || again.Commit == b.head() {
		t.Fatalf("%+v", again)
	}
	s.checkout()
	s.has("new.txt", "new\n")
	if left := b.git("for-each-ref", "refs/ocaptain/trial"); left != "" {
		t.Fatalf("left %s", left)
	}
}

// landClash lands work that conflicts with the branch: nothing may change.
func landClash(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "mine\n")
	s.put("free.txt", "free\n")
	work := s.handIn("1", false).Commit
	other.put("a.txt", "theirs\n")
	head := other.merge("theirs").Commit
	refs := b.git("for-each-ref")
	for _, order := range []sync.Merge{{}, {Aside: shelf("2")}, {Check: func(context.Context, string) error { return errors.New("asked in vain") }}} {
		_, err := b.Work.Land(b.ctx, work, landing(order))
		var c *sync.Conflict
		if !errors.As(err, &c) || !slices.Equal(c.Paths, []string{"a.txt"}) || len(c.Why) != 1 || c.Head != head || strings.Contains(c.Why[0], "marked") {
			t.Fatalf("want a conflict, have %v", err)
		}
	}
	if now := b.git("for-each-ref"); now != refs {
		t.Fatalf("refs were\n%s\nand are\n%s", refs, now)
	}
	b.inStep()
	s.has("a.txt", "mine\n")
}

// landOn makes a stack of commits with Aside and On, one per piece of work, and then lands the pieces.
func landOn(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n2\n3\n4\n5\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("a.txt", "mine\n2\n3\n4\n5\n")
	one := s.handIn("1", false).Commit
	other.put("a.txt", "1\n2\n3\n4\nother\n")
	two := other.handIn("2", false).Commit
	head := b.head()
	first := b.land(one, sync.Merge{Aside: shelf("first")})
	second := b.land(two, sync.Merge{Aside: shelf("second"), On: first.Commit})
	if got := b.git("rev-parse", second.Commit+"^@"); got != first.Commit || b.show(second.Commit, "a.txt") != "mine\n2\n3\n4\nother" || b.head() != head {
		t.Fatalf("%+v on %s, the branch at %s", second, got, b.head())
	}
	s.put("a.txt", "clash\n2\n3\n4\n5\n")
	order := landing(sync.Merge{Aside: shelf("third"), On: second.Commit})
	var c *sync.Conflict
	if _, err := b.Work.Land(b.ctx, s.handIn("3", false).Commit, order); !errors.As(err, &c) || c.Head != second.Commit {
		t.Fatalf("want a conflict, have %v", err)
	}
	b.land(one, sync.Merge{})
	b.land(two, sync.Merge{})
	if b.git("rev-parse", b.head()+"^{tree}") != b.git("rev-parse", second.Commit+"^{tree}") {
		t.Fatal("the branch is not what it was to be")
	}
}

// added lands work with Merge.Add.
func added(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "docs/old.md": "old\n"})
	must(t, os.Symlink("docs", filepath.Join(b.Dir, "link")))
	s := b.ship("ship-0")
	s.put("a.txt", "mine\n")
	work := s.handIn("1", false).Commit
	head, refs := b.head(), b.git("for-each-ref")
	for name, files := range map[string][]string{
		"other content": {"a.txt"}, "above": {"../x"}, "inside": {"docs/../x"}, "absolute": {"/x"}, "git": {".git/hooks/x"}, "git's other name": {"x/.GIT/y"},
		"empty": {""}, "dot": {"./x"}, "slash": {"docs/x/"}, "zero": {"a\x00b"}, "below a link": {"link/x.md"}, "below a file": {"a.txt/x"},
		"a directory": {"docs"}, "both": {"x", "x/y"}, "a link": {"link"}, "modules": {".gitmodules"}, "one of two": {"fine", "docs/old.md"},
	} {
		add := map[string][]byte{}
		for _, f := range files {
			add[f] = []byte("added\n")
		}
		if m, err := b.Work.Land(b.ctx, work, landing(sync.Merge{Add: add})); err == nil || !strings.Contains(err.Error(), "add file") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	if b.head() != head || b.git("for-each-ref") != refs {
		t.Fatal("something was landed")
	}
	b.inStep()
	add := map[string][]byte{"docs/2026-11/7-x.md": []byte("found\r\n\x00"), "docs/old.md": []byte("old\n"), "odd\nname": nil}
	if m := b.land(work, sync.Merge{Add: add}); m.Changed != 3 {
		t.Fatalf("%+v", m)
	}
	b.has("docs/2026-11/7-x.md", "found\r\n\x00")
	b.has("a.txt", "mine\n")
	if m := b.land(work, sync.Merge{Add: add}); m.Changed != 0 {
		t.Fatalf("again: %+v", m)
	}
	// An untracked file of the captain's at the path hinders the landing until he moves it.
	b.put(".git/info/exclude", "mine.md\n")
	b.put("mine.md", "captain's\n")
	_, err := b.Work.Land(b.ctx, work, landing(sync.Merge{Add: map[string][]byte{"mine.md": []byte("added\n")}}))
	if !isHindered(err, "in the way") {
		t.Fatalf("in the way: %v", err)
	}
	b.has("mine.md", "captain's\n")
	steering := errors.New("steers")
	order := landing(sync.Merge{Add: map[string][]byte{"AGENTS.md": []byte("added\n")}, Steers: func(s sync.Steering) error { return steering }})
	if _, err := b.Work.Land(b.ctx, work, order); !errors.Is(err, steering) {
		t.Fatalf("steering: %v", err)
	}
}

// landings lands many commits at once, while a remote merges and the captain commits.
func landings(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	const crew, rounds = 3, 3
	var works []string
	s, merger := b.ship("ship-0"), b.ship("ship-1")
	for i := range crew * rounds {
		s.put(fmt.Sprint("work-", i), fmt.Sprint(i))
		works = append(works, s.handIn(fmt.Sprint(i), false).Commit)
		s.checkout()
	}
	var all stdsync.WaitGroup
	for i := range crew {
		all.Go(func() {
			for n := range rounds {
				order := landing(sync.Merge{Name: "ship-1"})
				if n%2 == 1 {
					order.Check = func(context.Context, string) error { return nil }
				}
				if _, err := b.Work.Land(b.ctx, works[i*rounds+n], order); err != nil {
					t.Error("land: ", err)
				}
			}
		})
	}
	all.Go(func() {
		for n := range rounds {
			merger.put("merged", fmt.Sprint(n))
			order := merger.order(fmt.Sprint("merge-", n))
			order.Check = func(context.Context, string) error { return nil }
			if _, err := b.Work.Merge(b.ctx, merger, order); err != nil {
				t.Error("merge: ", err)
			}
		}
	})
	for n := range rounds {
		b.put("captain.txt", fmt.Sprint(n))
		if out, err := TryGit(b.Dir, "add", "captain.txt"); err != nil {
			t.Log(out) // the hub locks the index at times; then it commits the edit itself
			continue
		}
		if out, err := TryGit(b.Dir, "commit", "-q", "-m", "by hand"); err != nil {
			t.Log(out)
		}
	}
	all.Wait()
	s.checkout() // includes the captain's last edits
	b.inStep()
	for i := range works {
		b.has(fmt.Sprint("work-", i), fmt.Sprint(i))
	}
	b.has("merged", fmt.Sprint(rounds-1))
	b.has("captain.txt", fmt.Sprint(rounds-1))
	if n := len(strings.Fields(b.git("log", "--format=%s", "--grep=^landed", Branch))); n != len(works) {
		t.Errorf("%d commits for %d pieces of work", n, len(works))
	}
	if left := b.git("for-each-ref", "refs/ocaptain/trial", "refs/ocaptain/pending"); left != "" {
		t.Errorf("left %s", left)
	}
}
