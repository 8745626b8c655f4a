// Package synctest tests the rules of sync.Work. Every implementation runs it.
package synctest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
)

// Branch is the name of the branch that the tests use.
const Branch = "voyage-1"

// Captain is the author that the captain's git settings must name.
const Captain = "Captain Test <captain@example.org>"

// Rig is a sync.Work for a test.
type Rig struct {
	Work   sync.Work
	Dir    string                                                      // the captain's working directory
	Reopen func(t *testing.T) sync.Work                                // opens the same Work again, as after a crash
	Remote func(t *testing.T, name string) (r sync.Remote, dir string) // makes a remote and returns the directory of its tree
}

// Run tests an implementation. open prepares Branch in a clone of source, or in a new repository if source is "". The
// author of edits must be Captain.
func Run(t *testing.T, open func(t *testing.T, source string) Rig) {
	for name, test := range map[string]func(*testing.T, func(*testing.T, string) Rig){
		"checkout": checkout, "parked": parked, "shapes": shapes, "names": names, "ignored": ignored, "empty": empty,
		"operation": operation, "snapshot": snapshot, "merge": merge, "again": again, "nothing": nothing,
		"conflict": conflict, "clashes": clashes, "markers": markers, "check": check, "moved": moved,
		"captain": captain, "elsewhere": elsewhere, "middle": middle, "saving": saving, "crowd": crowd,
		"cancel": cancel, "replaced": replaced, "clean": clean, "find": find, "large": large, "changing": changing,
		"at": at, "onto": onto, "onto again": ontoAgain, "onto refused": ontoRefused,
		"aside": putAside, "aside clash": asideClash, "stacked": stacked, "asked": asked, "land": land, "land clash": landClash, "land on": landOn,
		"beside": besides, "beside earlier": besidesEarlier,
		"added": added, "landings": landings, "put back": putBack, "put back clash": putBackClash,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// bench is a Rig with helper methods.
type bench struct {
	*testing.T
	Rig
	ctx context.Context
}

// ship is a remote with its tree.
type ship struct {
	b    *bench
	name string
	dir  string
	sync.Remote
}

// setup opens a Rig on a repository with the given files.
func setup(t *testing.T, open func(*testing.T, string) Rig, files map[string]string) *bench {
	t.Helper()
	source := t.TempDir()
	Git(t, source, "init", "-q", "-b", "main")
	for path, content := range files {
		Put(t, source, path, content)
	}
	Git(t, source, "add", "-A")
	Git(t, source, "commit", "-q", "--allow-empty", "-m", "begin")
	return &bench{T: t, Rig: open(t, source), ctx: t.Context()}
}

// ship makes a remote and checks out the branch there.
func (b *bench) ship(name string) *ship {
	b.Helper()
	r, dir := b.Remote(b.T, name)
	s := &ship{b: b, name: name, dir: dir, Remote: r}
	if c := s.checkout(); c.Parked != "" {
		b.Fatalf("parked %s from an empty tree", c.Parked)
	}
	return s
}

func (s *ship) checkout() sync.Checkout {
	s.b.Helper()
	c, err := s.b.Work.Checkout(s.b.ctx, s, s.name, "")
	if err != nil {
		s.b.Fatal(err)
	}
	if head := s.b.head(); c.Commit != head {
		s.b.Fatalf("checkout to %s, but the head is %s", c.Commit, head)
	}
	if got := Git(s.b, s.dir, "rev-parse", "HEAD"); got != c.Commit {
		s.b.Fatalf("HEAD of the tree is %s, want %s", got, c.Commit)
	}
	if dirt := Git(s.b, s.dir, "status", "--porcelain"); dirt != "" {
		s.b.Fatalf("tree is not clean after checkout: %s", dirt)
	}
	return c
}

func (s *ship) snapshot() sync.Snapshot {
	s.b.Helper()
	snap, err := s.b.Work.Snapshot(s.b.ctx, s, s.name)
	if err != nil {
		s.b.Fatal(err)
	}
	if head := s.git("rev-parse", "HEAD"); snap.Head != head {
		s.b.Fatalf("the snapshot says that the tree stands on %s, and it does on %s", snap.Head, head)
	}
	return snap
}

func (s *ship) order(subject string) sync.Merge {
	return sync.Merge{
		Name: s.name, Subject: subject, Author: s.name + " <" + s.name + "@example.org>",
		Trailers: [][2]string{{"Ocaptain-Task", subject}, {"Ocaptain-Ship", s.name}}, Keep: "refs/ocaptain/tasks/" + subject,
		Steers: letIn,
	}
}

func (s *ship) merge(subject string) sync.Merged {
	s.b.Helper()
	m, err := s.b.Work.Merge(s.b.ctx, s, s.order(subject))
	if err != nil {
		s.b.Fatal(err)
	}
	if head := s.b.head(); m.Commit != head {
		s.b.Fatalf("merged as %s, but the head is %s", m.Commit, head)
	}
	s.b.inStep()
	return m
}

func (s *ship) put(path, content string)      { s.b.Helper(); Put(s.b, s.dir, path, content) }
func (s *ship) has(path, content string)      { s.b.Helper(); Has(s.b, s.dir, path, content) }
func (s *ship) git(args ...string) string     { s.b.Helper(); return Git(s.b, s.dir, args...) }
func (b *bench) put(path, content string)     { b.Helper(); Put(b, b.Dir, path, content) }
func (b *bench) has(path, content string)     { b.Helper(); Has(b, b.Dir, path, content) }
func (b *bench) git(args ...string) string    { b.Helper(); return Git(b, b.Dir, args...) }
func (b *bench) show(rev, path string) string { b.Helper(); return Git(b, b.Dir, "show", rev+":"+path) }

func (b *bench) head() string {
	b.Helper()
	head, err := b.Work.Head(b.ctx)
	if err != nil {
		b.Fatal(err)
	}
	return head
}

// inStep checks that the captain's files and index agree with the branch.
func (b *bench) inStep() {
	b.Helper()
	if dirt := b.git("status", "--porcelain"); dirt != "" {
		b.Fatalf("the captain's tree is out of step with the branch:\n%s", dirt)
	}
}

// count returns the number of commits that to reaches and from does not.
func (b *bench) count(from, to string) string {
	b.Helper()
	return b.git("rev-list", "--count", from+".."+to)
}

// Put writes a file below dir, and makes missing directories.
func Put(t testing.TB, dir, path, content string) {
	t.Helper()
	name := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Has checks that a file has the content, or for "" that there is no such file.
func Has(t testing.TB, dir, path, content string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if content == "" {
		if err == nil {
			t.Fatalf("%s is there: %q", path, b)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != content {
		t.Fatalf("%s is %q, want %q", path, b, content)
	}
}

// Git runs git in dir with the user's own settings.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := TryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return out
}

// TryGit is Git for commands that may fail. It then returns git's standard error, too.
func TryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return said.String(), err
	}
	return strings.TrimSpace(string(out)), nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
