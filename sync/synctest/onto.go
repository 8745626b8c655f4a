package synctest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

const own = "dispatch/kite-2-7"

// orderOnto returns the order to merge work to a branch of its own.
func (s *ship) orderOnto(branch, subject string) sync.Merge {
	order := s.order(subject)
	order.Onto = branch
	return order
}

func (s *ship) mergeOnto(branch, subject string) sync.Merged {
	s.b.Helper()
	m, err := s.b.Work.Merge(s.b.ctx, s, s.orderOnto(branch, subject))
	if err != nil {
		s.b.Fatal(err)
	}
	if tip := s.b.git("rev-parse", "refs/heads/"+branch); m.Commit != tip {
		s.b.Fatalf("merged as %s, but the branch is at %s", m.Commit, tip)
	}
	return m
}

// onto merges work to a branch of its own.
func onto(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	s, other := b.ship("ship-0"), b.ship("ship-1")
	base := b.head()
	other.put("a.txt", "the branch's\n")
	other.merge("other")
	head := b.head()
	b.put("note.txt", "captain's\n")
	s.put("a.txt", "mine\n") // the branch has changed this file too, without effect here
	s.put("CLAUDE.md", "be quick\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "own commit")
	s.put("c.txt", "uncommitted\n")
	order := s.orderOnto(own, "7")
	order.Body = "What was done.\n\nOcaptain-Task: forged"
	no := errors.New("not let in")
	order.Steers = func(s sync.Steering) error {
		if !slices.Equal(s.Paths, []string{"CLAUDE.md"}) {
			t.Errorf("these steer: %q", s.Paths)
		}
		return no
	}
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.Is(err, no) || b.git("for-each-ref", "refs/heads/"+own) != "" {
		t.Fatalf("want nothing on a branch, have %v", err)
	}
	order.Steers = nil // without Steers, steering files are refused
	if _, err := b.Work.Merge(b.ctx, s, order); err == nil || b.git("for-each-ref", "refs/heads/"+own) != "" {
		t.Fatalf("want nothing on a branch where nobody judges, have %v", err)
	}
	order.Steers = letIn
	checked := ""
	order.Check = func(ctx context.Context, candidate string) error {
		checked = candidate
		return b.Work.Clean(ctx, s, candidate, func(dir string) error { Has(t, dir, "c.txt", "uncommitted\n"); return nil })
	}
	m, err := b.Work.Merge(b.ctx, s, order)
	must(t, err)
	if m.Changed != 3 || checked != m.Commit || m.Steering == nil || b.git("rev-parse", own) != m.Commit || b.git("rev-parse", m.Commit+"^@") != base {
		t.Fatalf("%+v, checked %s: want one commit on %s that changes 3 files", m, checked, base)
	}
	if got := b.git("log", "-1", "--format=%an <%ae>%n%s%n%(trailers)", m.Commit); got != "ship-0 <ship-0@example.org>\n7\nOcaptain-Task: 7\nOcaptain-Ship: ship-0" {
		t.Fatalf("commit is %q", got)
	}
	if got := b.git("log", "--format=%s", base+".."+order.Keep); !strings.Contains(got, "own commit") {
		t.Fatalf("the remote's own commits are not kept: %q", got)
	}
	if got := b.git("status", "--porcelain"); b.head() != head || got != "?? note.txt" {
		t.Fatalf("the captain's tree or branch was touched: %q, head %s", got, b.head())
	}
	b.has("a.txt", "the branch's\n")
	if commit, err := b.Work.Find(b.ctx, "Ocaptain-Task", "7"); err != nil || commit != "" {
		t.Fatalf("on the branch is %q, %v", commit, err)
	}
	b.Work = b.Reopen(t)
	if snap := s.snapshot(); snap.Changed != 0 {
		t.Fatalf("%d files count as unmerged", snap.Changed)
	}
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("merged work was parked on %s", c.Parked)
	}
	s.has("c.txt", "")
}

// ontoAgain repeats merges whose result may exist already.
func ontoAgain(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	base := b.head()
	for range 2 {
		if m := s.mergeOnto(own, "7"); m.Changed != 0 || m.Commit != base {
			t.Fatalf("%+v: want the commit checked out at, %s", m, base)
		}
	}
	s.put("a.txt", "one\n")
	s.mergeOnto(own, "7")
	b.Work = b.Reopen(t)
	s.put("b.txt", "late\n")
	m := s.mergeOnto(own, "7")
	if m.Changed != 2 || b.git("rev-parse", m.Commit+"^@") != base || b.show(m.Commit, "a.txt") != "one" {
		t.Fatalf("%+v: want all of the work in one commit", m)
	}
	// The next task's commit has only its own work, also if the task begins at another task's commit.
	s.checkoutAt(m.Commit)
	s.put("c.txt", "next\n")
	if next := s.mergeOnto("dispatch/kite-2-8", "8"); next.Changed != 1 || b.git("rev-parse", next.Commit+"^@") != m.Commit {
		t.Fatalf("%+v: want one commit on %s", next, m.Commit)
	}
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
	// A checkout parks work that was done after the merge.
	s.put("a.txt", "merged\n")
	s.mergeOnto("dispatch/kite-2-9", "9")
	s.put("a.txt", "late\n")
	if c := s.checkout(); c.Parked == "" || b.show(c.Parked, "a.txt") != "late" {
		t.Fatalf("parked on %q", c.Parked)
	}
}

// ontoRefused makes merges that fail and must change nothing.
func ontoRefused(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	s.put("a.txt", "one\n")
	bad := errors.New("tests fail")
	order := s.orderOnto(own, "7")
	order.Check = func(context.Context, string) error { return bad }
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.Is(err, bad) {
		t.Fatalf("want the check's error, have %v", err)
	}
	if got := b.git("for-each-ref", "refs/heads/dispatch", "refs/ocaptain/home", "refs/ocaptain/trial"); got != "" {
		t.Fatalf("a failed check left %s", got)
	}
	order.Check = nil
	for _, name := range []string{"-x", "a..b", "a b", Branch} {
		order.Onto = name
		if _, err := b.Work.Merge(b.ctx, s, order); err == nil || !strings.Contains(err.Error(), name) || isHindered(err, "") {
			t.Errorf("branch %q: %v", name, err)
		}
	}
	order.Onto, order.Trailers = own, nil
	if _, err := b.Work.Merge(b.ctx, s, order); err == nil || !strings.Contains(err.Error(), "trailers") {
		t.Errorf("without trailers: %v", err)
	}
	// The captain has the branch checked out in his tree or in a worktree, or is about to create it.
	first := s.mergeOnto(own, "7").Commit
	b.git("checkout", "-q", own)
	s.hinderedOnto("7", b.Dir+" is checked out", first)
	linked := t.TempDir()
	b.git("checkout", "-q", Branch)
	b.git("worktree", "add", "-q", linked, own)
	s.hinderedOnto("7", linked+" is checked out", first)
	b.git("worktree", "remove", linked)
	b.git("checkout", "-q", "--orphan", "dispatch/new")
	order = s.orderOnto("dispatch/new", "8")
	if _, err := b.Work.Merge(b.ctx, s, order); !isHindered(err, b.Dir+" is checked out") {
		t.Errorf("a branch without a commit: %v", err)
	}
	b.git("checkout", "-q", "-f", Branch)
	// The branch has a commit of the captain's or of another task.
	s.hinderedOnto("8", "holds other work", first)
	b.git("checkout", "-q", own)
	b.git("commit", "-q", "--allow-empty", "-m", "the captain's")
	theirs := b.git("rev-parse", own)
	b.git("checkout", "-q", Branch)
	s.hinderedOnto("7", "holds other work", theirs)
	b.git("branch", "kept", own) // another branch keeps the captain's commit
	s.mergeOnto(own, "7")
	// Git can't have a branch and another one below its name.
	b.git("branch", "-q", "-M", "kept", "way")
	order = s.orderOnto("way/below", "9")
	if _, err := b.Work.Merge(b.ctx, s, order); !isHindered(err, "rename it") {
		t.Errorf("below a branch: %v", err)
	}
	order.Onto = "dispatch"
	if _, err := b.Work.Merge(b.ctx, s, order); !isHindered(err, "rename it") {
		t.Errorf("above a branch: %v", err)
	}
	s.has("a.txt", "one\n")
}

// hinderedOnto makes a merge that must fail with *sync.Hindered.
func (s *ship) hinderedOnto(subject, why, tip string) {
	s.b.Helper()
	order := s.orderOnto(own, subject)
	order.Check = func(context.Context, string) error { return errors.New("checked in vain") }
	if _, err := s.b.Work.Merge(s.b.ctx, s, order); !isHindered(err, why) {
		s.b.Errorf("want to be hindered as the branch %s, have %v", why, err)
	}
	if now := s.b.git("rev-parse", own); now != tip {
		s.b.Errorf("the branch was moved to %s, it was at %s", now, tip)
	}
}

func isHindered(err error, why string) bool {
	h, ok := errors.AsType[*sync.Hindered](err)
	return ok && len(h.Paths) > 0 && strings.Contains(h.Why, why) // Paths: only this work is hindered
}
