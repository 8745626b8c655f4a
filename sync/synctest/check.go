package synctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
)

func check(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	base := b.head()
	s.put("a.txt", "checked\n")
	bad := errors.New("tests fail")
	order := s.order("task")
	var dir string
	order.Check = func(ctx context.Context, candidate string) error {
		if got := b.show(candidate, "a.txt"); got != "checked" {
			t.Errorf("the check sees %q", got)
		}
		return b.Work.Clean(ctx, s, candidate, func(d string) error {
			dir = d
			Has(t, dir, "a.txt", "checked\n")
			return bad
		})
	}
	state := s.git("status", "--porcelain") + s.git("rev-parse", "HEAD")
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.Is(err, bad) {
		t.Fatalf("want the check's error, have %v", err)
	}
	if b.head() != base || s.git("status", "--porcelain")+s.git("rev-parse", "HEAD") != state {
		t.Fatal("a failed check changed something")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the clean checkout is still there: %v", err)
	}
	b.inStep()
	s.has("a.txt", "checked\n")
	order.Check = func(context.Context, string) error { return nil }
	if m, err := b.Work.Merge(b.ctx, s, order); err != nil || m.Changed != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	// Check is called for work that changes nothing, too.
	order.Check = func(context.Context, string) error { return bad }
	if _, err := b.Work.Merge(b.ctx, s, order); !errors.Is(err, bad) {
		t.Fatalf("want the check's error, have %v", err)
	}
}

// moved merges while checks of other merges run: each merge commits what was checked, and no check keeps other merges
// waiting.
func moved(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	slow, quick := b.ship("slow"), b.ship("quick")
	slow.put("slow.txt", "slow\n")
	order := slow.order("slow")
	var candidates []string
	order.Check = func(_ context.Context, candidate string) error {
		candidates = append(candidates, candidate)
		if n := len(candidates); n <= 2 {
			quick.checkout()
			quick.put("quick.txt", fmt.Sprint(n))
			quick.merge(fmt.Sprint("quick-", n))
		}
		return nil
	}
	m, err := b.Work.Merge(b.ctx, slow, order)
	must(t, err)
	if len(candidates) < 2 || candidates[len(candidates)-1] != m.Commit {
		t.Fatalf("merged %s, checked %v", m.Commit, candidates)
	}
	b.has("quick.txt", "2")
	b.has("slow.txt", "slow\n")
	b.inStep()
}

func clean(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n", ".gitignore": "*.o\n"})
	first := b.head()
	s := b.ship("ship-0")
	s.put("a.txt", "two\n")
	s.merge("two")
	s.put("a.txt", "dirty\n")
	s.put("main.o", "ignored\n")
	for commit, want := range map[string]string{first: "a\n", b.head(): "two\n"} {
		var dir string
		must(t, b.Work.Clean(b.ctx, s, commit, func(d string) error {
			dir = d
			Has(t, dir, "a.txt", want)
			Has(t, dir, "main.o", "")
			if got := Git(t, dir, "rev-parse", "HEAD"); got != commit {
				return fmt.Errorf("HEAD is %s", got)
			}
			Put(t, dir, "sub/left.txt", "rubbish")
			return os.Chmod(filepath.Join(dir, "sub"), 0o500)
		}))
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the clean checkout is still there: %v", err)
		}
	}
	s.has("a.txt", "dirty\n")
	// Clean also works on a remote without a checkout.
	r, _ := b.Remote(t, "fresh")
	must(t, b.Work.Clean(b.ctx, r, first, func(dir string) error { Has(t, dir, "a.txt", "a\n"); return nil }))
}

func find(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	want := map[string]string{}
	for _, task := range []string{"1", "11", "a.b"} {
		s.put("a.txt", task)
		want[task] = s.merge(task).Commit
	}
	want["111"], want["a?b"] = "", ""
	for task, commit := range want {
		if got, err := b.Work.Find(b.ctx, "Ocaptain-Task", task); err != nil || got != commit {
			t.Errorf("task %s: %q, %v; want %q", task, got, err, commit)
		}
	}
	again := b.Reopen(t)
	if got, err := again.Find(b.ctx, "Ocaptain-Task", "11"); err != nil || got != want["11"] {
		t.Errorf("after opening anew: %q, %v", got, err)
	}
}

// replaced removes commits that the hub believes a remote to have.
func replaced(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	s.put("a.txt", "two\n")
	s.merge("two")
	// A new machine gets the old name.
	s.Remote, s.dir = b.Remote(t, "ship-0")
	s.checkout()
	s.has("a.txt", "two\n")
	s.put("a.txt", "three\n")
	s.merge("three")
	// The agent replaces the repository by a new one.
	must(t, os.RemoveAll(filepath.Join(s.dir, ".git")))
	s.git("init", "-q")
	s.put("b.txt", "kept\n")
	if c := s.checkout(); c.Parked == "" || b.show(c.Parked, "b.txt") != "kept" {
		t.Fatalf("parked on %q", c.Parked)
	}
	s.has("b.txt", "")
	// The repository loses its objects.
	must(t, os.RemoveAll(filepath.Join(s.dir, ".git", "objects")))
	s.checkout()
	s.has("a.txt", "three\n")
	s.put("a.txt", "four\n")
	s.merge("four")
	// A new hub starts.
	b.Work = b.Reopen(t)
	s.put("a.txt", "five\n")
	s.merge("five")
	s.checkout()
	b.has("a.txt", "five\n")
}

func large(t *testing.T, open func(*testing.T, string) Rig) {
	const files = 10_000
	source := t.TempDir()
	Git(t, source, "init", "-q", "-b", "main")
	var stream strings.Builder
	stream.WriteString("commit refs/heads/main\ncommitter " + Captain + " 1700000000 +0000\ndata 5\nbegin\n")
	for i := range files {
		content := fmt.Sprint(i)
		fmt.Fprintf(&stream, "M 644 inline d%d/e%d/f%d\ndata %d\n%s\n", i%50, i/50%10, i, len(content), content)
	}
	load := exec.Command("git", "fast-import", "--quiet")
	load.Dir, load.Stdin = source, strings.NewReader(stream.String())
	must(t, load.Run())
	b := &bench{T: t, Rig: open(t, source), ctx: t.Context()}
	s := b.ship("ship-0")
	for i := range files / 4 {
		Put(t, s.dir, fmt.Sprintf("d%d/e%d/f%d", i%50, i/50%10, i), "changed")
	}
	must(t, os.RemoveAll(filepath.Join(s.dir, "d49")))
	b.put("d0/e0/f0", "captain's")
	s.git("checkout", "-q", "d0/e0/f0")
	m := s.merge("many")
	if want := files/4 - 1 - files/4/50 + files/50; m.Changed != want {
		t.Fatalf("%d files changed, want %d", m.Changed, want)
	}
	if c := s.checkout(); c.Parked != "" {
		t.Fatalf("parked on %s", c.Parked)
	}
	s.has("d0/e0/f0", "captain's")
}

// cancel cancels calls at many moments. Each time the branch must be whole and nothing lost.
func cancel(t *testing.T, open func(*testing.T, string) Rig) {
	b := setup(t, open, map[string]string{"a.txt": "a\n"})
	s := b.ship("ship-0")
	s.put("a.txt", "work")
	began := time.Now()
	s.merge("whole")
	whole := time.Since(began)
	const tries = 10
	merges := 0
	for i := range tries {
		s.put("a.txt", fmt.Sprint("work ", i))
		delay := whole * time.Duration(i) * 5 / 3 / tries
		ctx, stop := context.WithCancel(b.ctx)
		var m sync.Merged
		var err error
		giveUp(ctx, stop, delay, func(ctx context.Context) {
			m, err = b.Work.Merge(ctx, s, s.order(fmt.Sprint(i)))
		})
		commit, findErr := b.Work.Find(b.ctx, "Ocaptain-Task", fmt.Sprint(i))
		must(t, findErr)
		if err == nil && commit != m.Commit {
			t.Fatalf("merged as %q, found as %q", m.Commit, commit)
		}
		if commit != "" {
			merges++
			if got := b.show(b.head(), "a.txt"); got != fmt.Sprint("work ", i) {
				t.Fatalf("merged %q", got)
			}
		}
		b.inStep()
		ctx, stop = context.WithCancel(b.ctx)
		giveUp(ctx, stop, delay/2, func(ctx context.Context) { _, _ = b.Work.Checkout(ctx, s, s.name, "") })
		s.checkout()
	}
	t.Logf("%d of %d merges got through", merges, tries)
	b.git("fsck", "--connectivity-only")
}
