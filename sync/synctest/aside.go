package synctest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

// shelf returns the ref for work that waits for a review.
func shelf(subject string) string { return "refs/ocaptain/review/" + subject }

// handIn merges work to the ref shelf, and checks the commit.
func (s *ship) handIn(subject string, stacked bool) sync.Merged {
	s.b.Helper()
	order := s.order(subject)
	order.Aside, order.Stacked = shelf(subject), stacked
	head := s.b.head()
	under := head
	if stacked {
		under = s.snapshot().Base
	}
	m, err := s.b.Work.Merge(s.b.ctx, s, order)
	if err != nil {
		s.b.Fatal(err)
	}
	if got := s.b.git("rev-parse", order.Aside, m.Commit+"^@"); got != m.Commit+"\n"+under || s.b.head() != head {
		s.b.Fatalf("%s and its parent are %s, want %s on %s, with the branch at %s", order.Aside, got, m.Commit, under, head)
	}
	if want := s.name + " <" + s.name + "@example.org>\n" + subject; s.b.git("log", "-1", "--format=%an <%ae>%n%s", m.Commit) != want {
		s.b.Fatalf("the commit is not %q", want)
	}
	s.b.inStep()
	return m
}

// putAside merges work to a ref repeatedly, then goes on in the same tree.
func putAside(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	if m := s.handIn("nothing", false); m.Changed != 0 {
		t.Fatalf("%+v, want an empty commit", m)
	}
	other.put("b.txt", "other\n")
	other.merge("other")
	s.put("a.txt", "one\n")
	s.put("CLAUDE.md", "be quick\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "own commit")
	order := s.order("1")
	order.Aside = shelf("1")
	no := errors.New("not that")
	for name, refuse := range map[string]func(*sync.Merge){
		"steers": func(m *sync.Merge) { m.Steers = func(sync.Steering) error { return no } },
		"check":  func(m *sync.Merge) { m.Check = func(context.Context, string) error { return no } },
	} {
		wrong := order
		refuse(&wrong)
		if _, err := b.Work.Merge(b.ctx, s, wrong); !errors.Is(err, no) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := TryGit(b.Dir, "rev-parse", "--verify", order.Aside); err == nil {
		t.Fatal("refused work was put aside")
	}
	first := s.handIn("1", false)
	again := s.handIn("1", false)
	if first.Changed != 2 || first.Steering == nil || b.git("diff", first.Commit, again.Commit) != "" || b.show(first.Commit, "b.txt") != "other" {
		t.Fatalf("%+v, and then %+v", first, again)
	}
	if got := b.git("log", "--format=%s", "refs/ocaptain/tasks/1"); !strings.Contains(got, "own commit") {
		t.Fatalf("kept %q", got)
	}
	b.has("a.txt", "a\n")
	// The next merge, to the ref or to the branch, includes both the work that was put aside and later work.
	b.Work = b.Reopen(t)
	s.put("late.txt", "late\n")
	if m := s.handIn("1", false); m.Changed != 3 || b.show(m.Commit, "a.txt") != "one" {
		t.Fatalf("%+v, want all of the work", m)
	}
	if snap := s.snapshot(); snap.Changed != 0 {
		t.Fatalf("%d files count as unmerged", snap.Changed)
	}
	// Snapshot.Since counts a later change until it is undone.
	for _, late := range []struct {
		text  string
		since int
	}{{"", 1}, {"late\n", 0}, {"later\n", 1}, {"late\n", 0}} {
		s.put("late.txt", late.text)
		if snap := s.snapshot(); snap.Since != late.since {
			t.Fatalf("%d files differ from what was put aside, with %q", snap.Since, late.text)
		}
	}
	b.Work = b.Reopen(t)
	if m := s.merge("whole"); m.Changed != 3 {
		t.Fatalf("%+v, want all of the work", m)
	}
	s.put("more.txt", "more\n")
	if m := s.handIn("more", false); m.Changed != 1 {
		t.Fatalf("%+v, want what the branch lacks", m)
	}
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
	s.has("more.txt", "")
	must(t, b.Work.Forget(b.ctx, shelf("1"), shelf("never"), "refs/ocaptain/tasks/1"))
	if got := b.git("for-each-ref", shelf("1"), "refs/ocaptain/tasks/1"); got != "" {
		t.Fatalf("still there: %s", got)
	}
	for _, ref := range []string{"refs/heads/" + Branch, "refs/ocaptain/base/ship-0", "HEAD", "refs/ocaptain/review/1\ndelete HEAD"} {
		if err := b.Work.Forget(b.ctx, ref); err == nil {
			t.Errorf("forgot %q", ref)
		}
	}
}

// asideClash merges work that clashes with the branch to a ref.
func asideClash(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "1\n", "b.txt": "b\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	s.put("b.txt", "mine\n")
	s.handIn("1", false)
	other.put("a.txt", "theirs\n")
	head := other.merge("theirs").Commit
	s.put("a.txt", "mine\n")
	order := s.order("1")
	order.Aside = shelf("1")
	_, err := b.Work.Merge(b.ctx, s, order)
	var c *sync.Conflict
	if !errors.As(err, &c) || !slices.Equal(c.Paths, []string{"a.txt"}) || s.git("rev-parse", "HEAD") != head {
		t.Fatalf("want a conflict, have %v", err)
	}
	var r *sync.Refused
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.As(err, &r) {
		t.Fatalf("markers: %v", err)
	}
	s.put("a.txt", "both\n")
	for range 2 {
		if m := s.handIn("1", false); m.Changed != 2 || b.show(m.Commit, "a.txt") != "both" || b.show(m.Commit, "b.txt") != "mine" {
			t.Fatalf("%+v", m)
		}
	}
}

// stacked merges work that builds on other work which is not on the branch yet.
func stacked(t *testing.T, open func(*testing.T, string) Rig) {
	for _, turned := range []bool{false, true} {
		b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
		s, other := b.ship("ship-0"), b.ship("ship-1")
		s.put("a.txt", "one\n")
		first := s.handIn("1", false).Commit
		other.put("b.txt", "other\n")
		other.merge("other")
		s.checkoutAt(first)
		s.put("c.txt", "two\n")
		second := s.handIn("2", true)
		if second.Changed != 1 || b.show(second.Commit, "b.txt") != "b" {
			t.Fatalf("%+v: want one file on top of %s", second, first)
		}
		candidate := b.land(first, sync.Merge{Aside: shelf("candidate")})
		if b.show(candidate.Commit, "b.txt") != "other" {
			t.Fatalf("%+v: want it on top of the branch", candidate)
		}
		commits := []string{candidate.Commit, second.Commit}
		if turned {
			slices.Reverse(commits)
		}
		for _, commit := range commits {
			if m := b.land(commit, sync.Merge{}); m.Changed != 1 {
				t.Fatalf("%+v", m)
			}
		}
		for path, want := range map[string]string{"a.txt": "one\n", "b.txt": "other\n", "c.txt": "two\n"} {
			b.has(path, want)
		}
		if c := s.checkout(); c.Parked != "" {
			t.Fatalf("parked on %s", c.Parked)
		}
	}
}

// asked makes merges with invalid options.
func asked(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	work := s.handIn("1", false).Commit
	for name, wrong := range map[string]func(*sync.Merge){
		"stacked":  func(m *sync.Merge) { m.Stacked = true },
		"onto":     func(m *sync.Merge) { m.Onto, m.Aside = own, shelf("1") },
		"add":      func(m *sync.Merge) { m.Add = map[string][]byte{"x": nil} },
		"on":       func(m *sync.Merge) { m.On, m.Aside = work, shelf("1") },
		"own ref":  func(m *sync.Merge) { m.Aside = "refs/ocaptain/live/ship-0" },
		"a branch": func(m *sync.Merge) { m.Aside = "refs/heads/x" },
	} {
		order := s.order("1")
		wrong(&order)
		if m, err := b.Work.Merge(b.ctx, s, order); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for name, wrong := range map[string]func(*sync.Merge){
		"stacked": func(m *sync.Merge) { m.Stacked, m.Aside = true, shelf("1") },
		"onto":    func(m *sync.Merge) { m.Onto = own },
		"on":      func(m *sync.Merge) { m.On = work },
		"on what": func(m *sync.Merge) { m.On, m.Aside = "HEAD", shelf("1") },
		"keep":    func(m *sync.Merge) { m.Keep = "refs/ocaptain/tasks/1" },
		"own ref": func(m *sync.Merge) { m.Aside = "refs/ocaptain/trial/x" },
		"subject": func(m *sync.Merge) { m.Subject = "" },
	} {
		order := landing(sync.Merge{})
		wrong(&order)
		if m, err := b.Work.Land(b.ctx, work, order); err == nil {
			t.Errorf("landed, %s: %+v", name, m)
		}
	}
	root := b.git("rev-list", "--max-parents=0", "HEAD")
	for _, commit := range []string{strings.Repeat("1", len(work)), "HEAD", "", "a\nb", b.git("rev-parse", work+"^{tree}"), root} {
		if m, err := b.Work.Land(b.ctx, commit, landing(sync.Merge{})); err == nil || !strings.Contains(err.Error(), "commit ") {
			t.Errorf("landed %q: %+v, %v", commit, m, err)
		}
		if c, err := b.Work.PutBack(b.ctx, s, s.name, commit); err == nil || !strings.Contains(err.Error(), "commit ") {
			t.Errorf("put back %q: %+v, %v", commit, c, err)
		}
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "x")); err == nil {
		t.Error("a file was added")
	}
}
