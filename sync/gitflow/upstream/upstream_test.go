package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/ship"
	"ocaptain/sync/gitflow/upstream"
	"ocaptain/sync/synctest"
	"ocaptain/tasks/eventually"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// direct is a remote tree that this process serves.
type direct struct{ dir string }

func (d direct) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return ship.Serve(ctx, d.dir, args, stdin, stdout)
}

const branch = "feat/x"

// newRepository makes a bare repository with one commit.
func newRepository(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	work, bare := filepath.Join(top, "work"), filepath.Join(top, "shared.git")
	synctest.Git(t, top, "init", "-q", "-b", "main", work)
	synctest.Put(t, work, "README", "read me\n")
	synctest.Git(t, work, "add", "-A")
	synctest.Git(t, work, "commit", "-q", "-m", "one")
	synctest.Git(t, top, "clone", "-q", "--bare", work, bare)
	return bare
}

// clone is a hub with a clone of a shared repository, and a ship.
type clone struct {
	*testing.T
	*hub.Hub
	dir    string
	ship   direct
	shared string
	name   string
}

func newClone(t *testing.T, name, shared string) *clone {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	if _, err := origin.Prepare(t.Context(), dir, shared, branch, origin.Options{From: "main"}); err != nil {
		t.Fatal(err)
	}
	h, err := hub.Open(t.Context(), dir, branch, hub.Options{Upstream: upstream.Options{Source: shared}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &clone{T: t, Hub: h, dir: dir, ship: direct{filepath.Join(t.TempDir(), "workspace")}, shared: shared, name: name}
}

// does has the ship do a task, which is to write a file with the task's name, and merges it.
func (c *clone) does(task string, before func(context.Context, string) error) (sync.Merged, error) {
	if _, err := c.Checkout(c.Context(), c.ship, c.name, ""); err != nil {
		return sync.Merged{}, err
	}
	if err := os.WriteFile(filepath.Join(c.ship.dir, task), []byte(c.name+"\n"), 0o644); err != nil {
		return sync.Merged{}, err
	}
	return c.Merge(c.Context(), c.ship, sync.Merge{
		Name: c.name, Subject: task, Author: "E <e@e>", Trailers: [][2]string{{"Task", task}}, Keep: "refs/ocaptain/tasks/" + task, Before: before,
	})
}

// agrees checks that the clone's branch and files are at the shared branch, and returns the subjects of the branch's
// commits.
func (c *clone) agrees() []string {
	c.Helper()
	if err := c.Refresh(c.Context()); err != nil {
		c.Fatal(err)
	}
	head := synctest.Git(c.T, c.shared, "rev-parse", branch)
	if got := synctest.Git(c.T, c.dir, "rev-parse", branch, "HEAD"); got != head+"\n"+head {
		c.Errorf("%s is at %s, and the shared branch at %s", c.name, got, head)
	}
	if left := synctest.Git(c.T, c.dir, "status", "--porcelain"); left != "" {
		c.Errorf("%s has\n%s", c.name, left)
	}
	return strings.Split(synctest.Git(c.T, c.shared, "log", "--format=%s", "main.."+branch), "\n")
}

// TestTogether has two hubs merge at the same time. The shared branch must have each task once, and both clones must
// have all tasks.
func TestTogether(t *testing.T) {
	shared := newRepository(t)
	const each = 8
	var all stdsync.WaitGroup
	hubs := []*clone{newClone(t, "a", shared), newClone(t, "b", shared)}
	for _, c := range hubs {
		all.Go(func() {
			for i := range each {
				if m, err := c.does(fmt.Sprint(c.name, i), nil); err != nil || m.Changed != 1 {
					t.Errorf("%s: %+v, %v", c.name, m, err)
					return
				}
			}
		})
	}
	all.Wait()
	for _, c := range hubs {
		if got := c.agrees(); len(got) != 2*each {
			t.Errorf("the shared branch has %d commits, %q", len(got), got)
		}
		for _, other := range hubs {
			synctest.Has(t, c.dir, fmt.Sprint(other.name, each-1), other.name+"\n")
			if id, err := c.Find(t.Context(), "Task", other.name+"3"); err != nil || id == "" {
				t.Errorf("%s does not find the work of %s: %v", c.name, other.name, err)
			}
		}
	}
}

// TestBefore: Merge calls Before with the commit that another hub has pushed meanwhile. When Before fails, nothing is
// merged.
func TestBefore(t *testing.T) {
	shared := newRepository(t)
	a, b := newClone(t, "a", shared), newClone(t, "b", shared)
	if _, err := a.Checkout(t.Context(), a.ship, a.name, ""); err != nil {
		t.Fatal(err)
	}
	m, err := b.does("1", nil)
	if err != nil {
		t.Fatal(err)
	}
	no := errors.New("merged already")
	_, err = a.does("1", func(_ context.Context, head string) error {
		if head != m.Commit {
			t.Errorf("Before gets %s, and the branch is at %s", head, m.Commit)
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Fatalf("%v", err)
	}
	if got := a.agrees(); len(got) != 1 {
		t.Errorf("the shared branch has %q", got)
	}
}

// TestCaptains edits files in both clones, commits in one, and pushes to the shared branch from a third clone, as
// captains may, while hubs merge.
func TestCaptains(t *testing.T) {
	shared := newRepository(t)
	a, b := newClone(t, "a", shared), newClone(t, "b", shared)
	does := func(c *clone, task string) {
		t.Helper()
		if _, err := c.does(task, nil); err != nil {
			t.Fatal(err)
		}
	}
	does(a, "1")
	synctest.Put(t, a.dir, "edited-a", "by the captain of a\n")
	synctest.Put(t, b.dir, "edited-b", "by the captain of b\n")
	synctest.Git(t, b.dir, "add", "edited-b")
	synctest.Git(t, b.dir, "commit", "-q", "-m", "by hand")
	does(b, "2")
	does(a, "3")
	third := filepath.Join(t.TempDir(), "third")
	synctest.Git(t, "/", "clone", "-q", "-b", branch, shared, third)
	synctest.Put(t, third, "pushed", "by hand\n")
	synctest.Git(t, third, "add", "-A")
	synctest.Git(t, third, "commit", "-q", "-m", "pushed by hand")
	synctest.Git(t, third, "push", "-q")
	does(b, "4")
	a.agrees()
	b.agrees()
	for _, c := range []*clone{a, b} {
		for _, name := range []string{"1", "2", "3", "4", "edited-a", "edited-b", "pushed"} {
			if _, err := os.Stat(filepath.Join(c.dir, name)); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	// The shared branch is reset to an older commit, then deleted: the clones restore it.
	all := synctest.Git(t, shared, "rev-parse", branch)
	for _, meddle := range [][]string{{"update-ref", "refs/heads/" + branch, all + "~2"}, {"update-ref", "-d", "refs/heads/" + branch}} {
		synctest.Git(t, shared, meddle...)
		a.agrees()
		if got := synctest.Git(t, shared, "rev-parse", branch); got != all {
			t.Errorf("%v: the shared branch is at %s, not %s", meddle, got, all)
		}
	}
}

// TestClash: while the captain's commits conflict with another hub's, a merge fails with *sync.Hindered; once the
// captain has resolved the conflict, it succeeds.
func TestClash(t *testing.T) {
	shared := newRepository(t)
	a, b := newClone(t, "a", shared), newClone(t, "b", shared)
	if _, err := a.does("1", nil); err != nil {
		t.Fatal(err)
	}
	synctest.Put(t, b.dir, "1", "by the captain of b\n")
	_, err := b.does("2", nil)
	hindered, ok := errors.AsType[*sync.Hindered](err)
	if !ok || !strings.Contains(hindered.Why, "in 1: git -C "+b.dir+" pull") {
		t.Fatalf("%v", err)
	}
	if _, err := synctest.TryGit(b.dir, "pull", "-q", "--no-rebase", shared, branch); err == nil {
		t.Fatal("the captain's pull has no conflict")
	}
	synctest.Put(t, b.dir, "1", "both\n")
	synctest.Git(t, b.dir, "commit", "-q", "-am", "resolved")
	if _, err := b.does("2", nil); err != nil {
		t.Fatal(err)
	}
	a.agrees()
	b.agrees()
	synctest.Has(t, a.dir, "1", "both\n")
}

// TestAway: checkouts and merges fail with *sync.Hindered while the shared repository does not answer, and succeed
// once it does.
func TestAway(t *testing.T) {
	shared := newRepository(t)
	a := newClone(t, "a", shared)
	if _, err := a.does("1", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(shared, shared+".away"); err != nil {
		t.Fatal(err)
	}
	_, err := a.Checkout(t.Context(), a.ship, a.name, "")
	if _, ok := errors.AsType[*sync.Hindered](err); !ok {
		t.Errorf("checkout: %v", err)
	}
	synctest.Put(t, a.ship.dir, "2", "a\n")
	order := sync.Merge{Name: a.name, Subject: "2", Author: "E <e@e>"}
	_, err = a.Merge(t.Context(), a.ship, order)
	if _, ok := errors.AsType[*sync.Hindered](err); !ok {
		t.Errorf("merge: %v", err)
	}
	if _, err := a.Find(t.Context(), "Task", "1"); err == nil {
		t.Error("it says what is on the shared branch")
	}
	if err := os.Rename(shared+".away", shared); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(t.Context(), a.ship, order); err != nil {
		t.Error(err)
	}
	if got := a.agrees(); len(got) != 2 {
		t.Errorf("the shared branch has %q", got)
	}
}

// TestPushed: a merge succeeds with its push, even if a file in the captain's tree then keeps the clone's branch from
// moving. The clone follows later.
func TestPushed(t *testing.T) {
	shared := newRepository(t)
	a := newClone(t, "a", shared)
	m, err := a.does("1", func(context.Context, string) error {
		synctest.Put(t, a.dir, "1", "in the way\n") // Merge has committed the captain's edits before
		return nil
	})
	if err != nil || synctest.Git(t, shared, "rev-parse", branch) != m.Commit {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := os.Remove(filepath.Join(a.dir, "1")); err != nil {
		t.Fatal(err)
	}
	if got := a.agrees(); len(got) != 1 {
		t.Errorf("the shared branch has %q", got)
	}
}

// TestNoAnswer ends a fetch that takes long when the repository does not answer a question meanwhile, and no other.
func TestNoAnswer(t *testing.T) {
	c := newClone(t, "a", newRepository(t))
	if _, err := c.does("one", nil); err != nil {
		t.Fatal(err)
	}
	upstream.SetQuick(t, 0)
	asked := filepath.Join(t.TempDir(), "asked")
	synctest.WrapGit(t, `
case $1 in
ls-remote) $real "$@"; echo >`+asked+` ;;
fetch) until [ -e `+asked+` ]; do sleep 0.01; done; exec $real "$@" ;;
*) exec $real "$@" ;;
esac`)
	if err := c.Refresh(t.Context()); err != nil {
		t.Errorf("a repository that answers: %v", err)
	}
	synctest.WrapGit(t, `
case $1 in
ls-remote) echo "fatal: connection timed out" >&2; exit 128 ;;
fetch) exec sleep infinity ;;
*) exec $real "$@" ;;
esac`)
	var hindered *sync.Hindered
	if err := c.Refresh(eventually.Context(t)); !errors.As(err, &hindered) || !strings.Contains(err.Error(), "connection timed out") {
		t.Errorf("a repository that does not answer: %v", err)
	}
}
