package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	stdsync "sync"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

// source reads the record of ship-1's tree from refs, as a hub does when it starts.
func (b *bench) source() (*Source, error) {
	found, err := b.Repo.Resolve(b.Context(), git.RefHome+"ship-1^{commit}", git.RefSince+"ship-1^{commit}")
	if err != nil {
		return nil, err
	}
	return &Source{Home: found[0], Since: found[1]}, nil
}

// brings returns a call of Bring with a commit of ship-1's tree.
func (b *bench) brings(m sync.Merge, commit string) func() (sync.Merged, error) {
	m.Keep = "refs/ocaptain/tasks/1"
	return func() (sync.Merged, error) {
		s, err := b.source()
		if err != nil {
			return sync.Merged{}, err
		}
		s.Kept = commit
		a, err := b.Bring(b.Context(), Work{Merge: m, Base: b.base, Grown: b.base, Commit: commit, Source: s})
		return a.Outcome(), err
	}
}

const (
	shelf = "refs/ocaptain/review/1"
	own   = "dispatch/kite-2-7"
)

// kills are the calls during which TestKilled kills git. prepare returns the call and what b.txt must hold after it,
// on the branch or at the ref at.
var kills = map[string]struct {
	at      string
	prepare func(b *bench, text string) (call func() (sync.Merged, error), want string)
}{
	"land": {"", func(b *bench, text string) (func() (sync.Merged, error), string) {
		commit, m := b.on(b.head(), "b.txt", text), order("work")
		m.Add = map[string][]byte{"docs/" + text: []byte(text)}
		return func() (sync.Merged, error) { return b.Land(b.Context(), commit, m) }, text
	}},
	"revert": {"", func(b *bench, text string) (func() (sync.Merged, error), string) {
		m, err := b.Land(b.Context(), b.on(b.head(), "b.txt", text), order("work"))
		if err != nil {
			b.Fatal(err)
		}
		return func() (sync.Merged, error) { return b.Revert(b.Context(), m.Commit, order("back")) }, ""
	}},
	"write": {"", func(b *bench, text string) (func() (sync.Merged, error), string) {
		return func() (sync.Merged, error) {
			return b.Write(b.Context(), "b.txt", order("issues"), func([]byte) ([]byte, error) { return []byte(text), nil })
		}, text
	}},
	"aside": {shelf, func(b *bench, text string) (func() (sync.Merged, error), string) {
		m := order("work")
		m.Aside = shelf
		return b.brings(m, b.work("b.txt", text)), text
	}},
	"onto": {"refs/heads/" + own, func(b *bench, text string) (func() (sync.Merged, error), string) {
		m := order("work")
		m.Onto, m.Trailers = own, [][2]string{{"Ocaptain-Task", "7"}}
		return b.brings(m, b.work("b.txt", text)), text
	}},
}

// TestKilled kills git at each moment of a call. Afterwards branch or ref has all of the work or nothing, no work
// counts as merged that is not, the captain's files agree with the branch, and a repeated call merges the work once.
func TestKilled(t *testing.T) {
	for name, c := range kills {
		t.Run(name, func(t *testing.T) {
			b := begin(t, time.Minute)
			kill := synctest.KillGit(t, b.dir)
			for n := 1; ; n += stride {
				text := fmt.Sprint("text ", n)
				call, want := c.prepare(b, text)
				head := b.head()
				b.Repo.Kept.Close() // a git process started before kill would not be wrapped
				kill(fmt.Sprint(n))
				_, err := call()
				kill("")
				if err == nil {
					t.Logf("%d moments", n-1)
					break
				}
				if n >= 80 {
					t.Fatal(err)
				}
				b.open()
				b.inStepAfter(n)
				if s, err := b.source(); err != nil || s.Home != "" && synctest.Git(t, b.dir, "show", s.Home+":b.txt") == text && synctest.Git(t, b.dir, "show", c.at+":b.txt") != text {
					t.Fatalf("moment %d: the work counts as home, and is not: %v", n, err)
				}
				m, err := call()
				if err != nil || m.Changed == 0 {
					t.Fatalf("moment %d: %+v, %v", n, m, err)
				}
				if c.at != "" {
					if got := synctest.Git(t, b.dir, "show", c.at+":b.txt"); got != want || b.head() != head {
						t.Fatalf("moment %d: it has %q", n, got)
					}
				} else if synctest.Git(t, b.dir, "rev-list", head+"..voyage") != m.Commit {
					t.Fatalf("moment %d: %+v is not all that came", n, m)
				} else {
					synctest.Has(t, b.dir, "b.txt", want)
				}
				b.inStep()
			}
			synctest.Git(t, b.dir, "fsck", "--connectivity-only")
		})
	}
}

// inStepAfter repairs what a kill left, as a hub does when it starts, and checks the captain's files.
func (b *bench) inStepAfter(moment int) {
	b.Helper()
	_, release, err := b.Workspace.Take(b.Context())
	if err != nil {
		b.Fatalf("moment %d: %v", moment, err)
	}
	release()
	b.inStep()
}

// TestLandedAtOnce checks two commits and the work of a tree at the same time, all under one name. Each must be
// merged as it was checked.
func TestLandedAtOnce(t *testing.T) {
	b := begin(t, time.Minute)
	files := []string{"one.txt", "two.txt", "three.txt"}
	var here, all stdsync.WaitGroup
	here.Add(len(files))
	for i, file := range files {
		commit, m := b.work(file, file), order("task")
		first := stdsync.OnceFunc(func() { here.Done(); here.Wait() })
		m.Check = func(context.Context, string) error { first(); return nil }
		all.Go(func() {
			var err error
			if i == 2 {
				_, err = b.Bring(t.Context(), Work{Merge: m, Base: b.base, Grown: b.base, Commit: commit, Source: new(Source)})
			} else {
				_, err = b.Land(t.Context(), commit, m)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, file := range files {
		synctest.Has(t, b.dir, file, file)
	}
	if left := synctest.Git(t, b.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Error("left ", left)
	}
}

// TestLandsWhileMoved lands a commit while other work lands and the captain commits during its checks.
func TestLandsWhileMoved(t *testing.T) {
	b := begin(t, time.Minute)
	m, checks := order("task"), 0
	m.Check = func(context.Context, string) error {
		switch checks++; checks {
		case 1:
			return b.give("quick.txt", "quick\n")
		case 2:
			synctest.Put(t, b.dir, "captain.txt", "by hand\n")
			synctest.Git(t, b.dir, "add", "captain.txt")
			synctest.Git(t, b.dir, "commit", "-q", "-m", "by hand")
		}
		return nil
	}
	if done, err := b.Land(t.Context(), b.work("b.txt", "b\n"), m); err != nil || done.Changed != 1 || checks != 3 || synctest.Git(t, b.dir, "log", "-2", "--format=%s") != "task\nby hand" {
		t.Fatalf("%+v after %d checks, %v", done, checks, err)
	}
	for file, text := range map[string]string{"b.txt": "b\n", "quick.txt": "quick\n", "captain.txt": "by hand\n"} {
		synctest.Has(t, b.dir, file, text)
	}
}

// TestOntoStopsNobody lands a file while the check of work for a branch of its own runs.
func TestOntoStopsNobody(t *testing.T) {
	b := begin(t, time.Minute)
	m := order("task")
	m.Onto, m.Trailers = own, [][2]string{{"Ocaptain-Task", "7"}}
	m.Check = func(context.Context, string) error { return b.give("other.txt", "other\n") }
	if done, err := b.brings(m, b.work("b.txt", "b\n"))(); err != nil || done.Changed != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	synctest.Has(t, b.dir, "other.txt", "other\n")
}

// TestFolds lands and adds files whose names differ from others only in case.
func TestFolds(t *testing.T) {
	b := begin(t, time.Minute)
	b.Folds = true
	var no *sync.Refused
	if _, err := b.Land(t.Context(), b.on(b.work("other.txt", "other"), "A.TXT", "upper"), order("task")); !errors.As(err, &no) || !slices.Equal(no.Paths, []string{"A.TXT"}) {
		t.Errorf("work: %v", err)
	}
	commit := b.work("docs/b.txt", "b\n")
	for name, fits := range map[string]bool{"A.TXT": false, "DOCS/B.txt": false, "Docs": false, "A.txt/x": false, "Docs/c.txt": true} {
		m := order("task")
		m.Add = map[string][]byte{name: []byte("added\n"), "fine": nil}
		m.Aside = "refs/ocaptain/review/1"
		_, err := b.Land(t.Context(), commit, m)
		if refused := errors.As(err, &no); refused == fits || refused && (!slices.Contains(no.Paths, name) || slices.Contains(no.Paths, "fine")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRevert reverts a commit after later commits changed other lines of the same file. Where a later commit changed
// the same lines, Revert fails with a conflict and changes nothing, and Branch.Since names the first such commit.
func TestRevert(t *testing.T) {
	b := begin(t, time.Minute)
	var landed []string
	for _, file := range [][2]string{
		{"list", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"}, {"list", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"}, {"list", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}, {"other", "x"},
	} {
		m, err := b.Land(t.Context(), b.on(b.head(), file[0], file[1]), order("task"))
		if err != nil {
			t.Fatal(err)
		}
		landed = append(landed, m.Commit)
	}
	files, since, err := b.Branch.Since(t.Context(), landed[1])
	if err != nil || fmt.Sprint(files) != "[list]" || len(since) != 1 || since[0].Commit != landed[2] || len(since[0].Lines) > 0 {
		t.Errorf("since the second: %v, %+v, %v", files, since, err)
	}
	if _, since, err = b.Branch.Since(t.Context(), landed[0]); err != nil || len(since) != 2 || since[1].Commit != landed[1] || fmt.Sprint(since[1].Lines) != "[list]" || len(since[0].Lines) > 0 {
		t.Errorf("since the first: %+v, %v", since, err)
	}
	var clash *sync.Conflict
	if _, err := b.Revert(t.Context(), landed[0], order("back")); !errors.As(err, &clash) || fmt.Sprint(clash.Paths) != "[list]" || b.head() != landed[3] {
		t.Errorf("the first: %v", err)
	}
	m, err := b.Revert(t.Context(), landed[1], order("back"))
	if err != nil || m.Changed != 1 || synctest.Git(t, b.dir, "rev-list", landed[3]+"..voyage") != m.Commit {
		t.Fatalf("%+v, %v", m, err)
	}
	synctest.Has(t, b.dir, "list", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	if m, err := b.Revert(t.Context(), landed[1], order("back")); err != nil || m.Changed != 0 {
		t.Errorf("once more: %+v, %v", m, err)
	}
	b.inStep()
}

const issues = ".beads/issues.jsonl"

// appended returns a function that adds a line to a file's content.
func appended(line string) func([]byte) ([]byte, error) {
	return func(was []byte) ([]byte, error) { return append(was, line+"\n"...), nil }
}

// TestWrite writes a file that the captain edits too: the captain's edits must be committed first.
func TestWrite(t *testing.T) {
	b := begin(t, time.Minute)
	write := func(line string) sync.Merged {
		t.Helper()
		m, err := b.Write(t.Context(), issues, order("issues"), appended(line))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := write("one"); m.Changed != 1 || synctest.Git(t, b.dir, "show", "--format=", "--name-only", m.Commit) != issues {
		t.Errorf("%+v", m)
	}
	synctest.Put(t, b.dir, issues, "one\ncaptain's\n")
	synctest.Put(t, b.dir, "other.txt", "edited")
	m := write("two")
	synctest.Has(t, b.dir, issues, "one\ncaptain's\ntwo\n")
	if synctest.Git(t, b.dir, "log", "-1", "--format=%s", m.Commit+"^") != "captain: edits in workspace" {
		t.Error(synctest.Git(t, b.dir, "log", "--oneline"))
	}
	b.inStep()
	again, err := b.Write(t.Context(), issues, order("issues"), func(was []byte) ([]byte, error) { return was, nil })
	if err != nil || again.Changed != 0 || again.Commit != m.Commit {
		t.Errorf("%+v, %v", again, err)
	}
	for file, want := range map[string]string{issues: "one\ncaptain's\ntwo\n", "none": ""} {
		if got, err := b.Branch.File(t.Context(), m.Commit, file); err != nil || string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	for dir, want := range map[string]string{"": ".beads", ".beads": "issues.jsonl"} {
		if names, err := b.Branch.Names(t.Context(), m.Commit, dir); err != nil || !slices.Contains(names, want) {
			t.Errorf("%q has %q, %v", dir, names, err)
		}
	}
	bad := errors.New("bad")
	if _, err := b.Write(t.Context(), issues, order("issues"), func([]byte) ([]byte, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
}

// TestWriteNoPlace: Write fails where a link or a file stands in the place of its file or directory.
func TestWriteNoPlace(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a link": func(dir string) error { return os.Symlink("../a.txt", filepath.Join(dir, issues)) },
		"a linked place": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".beads")), os.Symlink(".", filepath.Join(dir, ".beads")))
		},
		"a file": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".beads")), os.WriteFile(filepath.Join(dir, ".beads"), nil, 0o600))
		},
	} {
		b := begin(t, time.Minute)
		if err := errors.Join(os.Mkdir(filepath.Join(b.dir, ".beads"), 0o755), make(b.dir)); err != nil {
			t.Fatal(err)
		}
		var no *sync.NotAdded
		if m, err := b.Write(t.Context(), issues, order("issues"), appended("x")); !errors.As(err, &no) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// TestExcept merges work whose changes to a file that the hub writes must be left out.
func TestExcept(t *testing.T) {
	b := begin(t, time.Minute)
	m := order("task")
	m.Except = []string{issues}
	p := Work{Merge: m, Base: b.base, Grown: b.base, Commit: b.on(b.work("work.txt", "work"), issues, "forged\n"), Source: new(Source)}
	for n, line := range []string{"ours", "more"} {
		a, err := b.Bring(t.Context(), p)
		if done := a.Outcome(); err != nil || done.Changed != 1-n || len(done.Notes) == 0 {
			t.Fatalf("%+v, %v", done, err)
		}
		if _, err := b.Write(t.Context(), issues, order("issues"), appended(line)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Has(t, b.dir, "work.txt", "work")
	synctest.Has(t, b.dir, issues, "ours\nmore\n")
}
