package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	stdsync "sync"
	"syscall"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/ship"
	"ocaptain/sync/gitflow/wire"
)

func asConflict(err error) (*sync.Conflict, bool) {
	var c *sync.Conflict
	return c, errors.As(err, &c)
}

// crew is a hub with one remote that this process serves.
type crew struct {
	testing.TB
	h    *Hub
	dir  string
	ship direct
}

func enlist(t testing.TB, opts Options) *crew {
	h, dir, w := forge(t, opts)
	return &crew{t, h, dir, direct{filepath.Join(w.dir, "../ship-1/workspace")}}
}

func (c *crew) checkout() sync.Checkout {
	c.Helper()
	k, err := c.h.Checkout(c.Context(), c.ship, "ship-1", "")
	if err != nil {
		c.Fatal(err)
	}
	return k
}

func (c *crew) merge() error {
	_, err := c.h.Merge(c.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>"})
	return err
}

// refused merges work that the hub must refuse, and returns the paths of the *sync.Refused.
func (c *crew) refused() []string {
	c.Helper()
	err := c.merge()
	var r *sync.Refused
	if !errors.As(err, &r) {
		c.Fatalf("want a refusal, have %v", err)
	}
	return r.Paths
}

func TestNestedRepositories(t *testing.T) {
	c := enlist(t, Options{})
	sub := filepath.Join(c.ship.dir, "sub")
	put(t, sub, "f.txt", "nested")
	gitOutput(t, sub, "init", "-q") // a nested repository without a commit; lib gets one with a commit
	put(t, c.ship.dir, "lib/g.txt", "nested, too")
	gitOutput(t, filepath.Join(c.ship.dir, "lib"), "init", "-q")
	gitOutput(t, filepath.Join(c.ship.dir, "lib"), "add", "-A")
	gitOutput(t, filepath.Join(c.ship.dir, "lib"), "commit", "-q", "-m", "x")
	gitOutput(t, c.ship.dir, "worktree", "add", "-q", ".claude/worktrees/w")
	put(t, c.ship.dir, "ok.txt", "ok")
	snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || snap.Changed != 4 || len(snap.Notes) != 3 {
		t.Fatalf("%+v, %v", snap, err)
	}
	if got := c.refused(); !slices.Equal(got, []string{"lib", "sub"}) {
		t.Fatalf("refused %v", got)
	}
	// Without lib/.git, lib is part of the work.
	if err := os.RemoveAll(filepath.Join(c.ship.dir, "lib/.git")); err != nil {
		t.Fatal(err)
	}
	if got := c.refused(); !slices.Equal(got, []string{"sub"}) {
		t.Fatalf("refused %v", got)
	}
	// The checkout moves the nested repository, which git can't park, aside; linked worktrees stay.
	k := c.checkout()
	if k.Parked == "" || gitOutput(t, c.dir, "show", k.Parked+":lib/g.txt") != "nested, too" {
		t.Fatalf("parked on %q", k.Parked)
	}
	if _, err := os.Stat(sub); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("sub is still there: %v", err)
	}
	moved, _ := filepath.Glob(filepath.Join(c.ship.dir, "../.aside/*/sub/f.txt"))
	if len(moved) != 1 || !strings.Contains(strings.Join(k.Notes, "\n"), ".aside") {
		t.Fatalf("moved to %v, notes %q", moved, k.Notes)
	}
	if _, err := os.Stat(filepath.Join(c.ship.dir, ".claude/worktrees/w/a.txt")); err != nil {
		t.Fatal(err)
	}
	// A tracked directory that becomes a repository goes on being tracked; a tracked file can't become one.
	put(t, c.ship.dir, "dir/x.txt", "x")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	gitOutput(t, filepath.Join(c.ship.dir, "dir"), "init", "-q")
	put(t, c.ship.dir, "dir/y.txt", "y")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(c.dir, "dir/y.txt")); err != nil || string(b) != "y" {
		t.Fatalf("%q, %v", b, err)
	}
	if err := os.Remove(filepath.Join(c.ship.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, "a.txt/in", "in")
	gitOutput(t, filepath.Join(c.ship.dir, "a.txt"), "init", "-q")
	gitOutput(t, filepath.Join(c.ship.dir, "a.txt"), "add", "-A")
	gitOutput(t, filepath.Join(c.ship.dir, "a.txt"), "commit", "-q", "-m", "x")
	if got := c.refused(); !slices.Equal(got, []string{"a.txt"}) {
		t.Fatalf("refused %v", got)
	}
	c.checkout()
	if b, err := os.ReadFile(filepath.Join(c.ship.dir, "a.txt")); err != nil || string(b) != "a\n" {
		t.Fatalf("%q, %v", b, err)
	}
}

func TestLeftOut(t *testing.T) {
	c := enlist(t, Options{Limits: git.Limits{File: 1 << 20}})
	put(t, c.ship.dir, "large.bin", strings.Repeat("x", 2<<20))
	put(t, c.ship.dir, "ok.txt", "ok")
	if got := c.refused(); !slices.Equal(got, []string{"large.bin"}) {
		t.Fatalf("refused %v", got)
	}
	snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || snap.Changed != 2 || len(snap.Notes) != 1 || !strings.Contains(snap.Notes[0], "2.0 MiB") {
		t.Fatalf("%+v, %v", snap, err)
	}
	if k := c.checkout(); k.Parked == "" {
		t.Fatal("nothing parked")
	}
	if moved, _ := filepath.Glob(filepath.Join(c.ship.dir, "../.aside/*/large.bin")); len(moved) != 1 {
		t.Fatalf("moved to %v", moved)
	}
	// Reserved names of git, and a tracked file that became a pipe.
	put(t, c.ship.dir, "x/.GIT/config", "evil")
	if got := c.refused(); !slices.Equal(got, []string{"x/.GIT/config"}) {
		t.Fatalf("refused %v", got)
	}
	put(t, c.ship.dir, ".gitmodules", "[submodule \"x\"]\n")
	if got := c.refused(); !slices.Equal(got, []string{".gitmodules"}) {
		t.Fatalf("refused %v", got)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(c.ship.dir, "x")), os.Remove(filepath.Join(c.ship.dir, ".gitmodules"))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(c.ship.dir, "a.txt")
	if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := c.refused(); !slices.Equal(got, []string{"a.txt"}) {
		t.Fatalf("refused %v", got)
	}
	c.checkout()
	if b, err := os.ReadFile(name); err != nil || string(b) != "a\n" {
		t.Fatalf("%q, %v", b, err)
	}
}

// TestAgentsIndex changes the index and settings of the agent's repository: they must not hide or alter work.
func TestAgentsIndex(t *testing.T) {
	c := enlist(t, Options{})
	gitOutput(t, c.ship.dir, "update-index", "--assume-unchanged", "a.txt")
	gitOutput(t, c.ship.dir, "config", "core.autocrlf", "true")
	gitOutput(t, c.ship.dir, "config", "core.fileMode", "false")
	gitOutput(t, c.ship.dir, "config", "core.worktree", "/nowhere")
	gitOutput(t, c.ship.dir, "config", "status.showUntrackedFiles", "no")
	put(t, c.ship.dir, "a.txt", "changed\r\n")
	put(t, c.ship.dir, "run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(c.ship.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(b) != "changed\r\n" {
		t.Fatalf("%q, %v", b, err)
	}
	if st, err := os.Stat(filepath.Join(c.dir, "run.sh")); err != nil || st.Mode()&0o111 == 0 {
		t.Fatalf("%v, %v", st, err)
	}
}

// TestBroken damages the remote's repository in many ways; a checkout must repair each.
func TestBroken(t *testing.T) {
	for name, damage := range map[string]func(c *crew){
		"no objects":    func(c *crew) { os.RemoveAll(filepath.Join(c.ship.dir, ".git/objects")) },
		"fewer objects": func(c *crew) { emptyDirs(c, ".git/objects") },
		"no HEAD":       func(c *crew) { os.Remove(filepath.Join(c.ship.dir, ".git/HEAD")) },
		"bad config":    func(c *crew) { put(c, c.ship.dir, ".git/config", "[[[") },
		"bad index": func(c *crew) {
			put(c, c.ship.dir, ".git/index", "rubbish")
			put(c, c.ship.dir, ".git/ocaptain/index", "rubbish")
		},
		"no refs": func(c *crew) {
			for ref := range strings.FieldsSeq(gitOutput(c, c.ship.dir, "for-each-ref", "--format=%(refname)")) {
				gitOutput(c, c.ship.dir, "update-ref", "-d", ref)
			}
		},
		"cut ref": func(c *crew) { put(c, c.ship.dir, ".git/refs/heads/ship-1", "") },
		"no .git": func(c *crew) { os.RemoveAll(filepath.Join(c.ship.dir, ".git")) },
		"nothing": func(c *crew) { os.RemoveAll(c.ship.dir) },
		"locks": func(c *crew) {
			put(c, c.ship.dir, ".git/ocaptain/index.lock", "")
			put(c, c.ship.dir, ".git/index.lock", git.OurLock)
			old := time.Now().Add(-time.Minute)
			for _, name := range []string{"HEAD.lock", "packed-refs.lock", "refs/heads/ship-1.lock", "refs/ocaptain/base.lock"} {
				put(c, c.ship.dir, ".git/"+name, "")
				_ = os.Chtimes(filepath.Join(c.ship.dir, ".git", name), old, old)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := enlist(t, Options{})
			put(t, c.ship.dir, "b.txt", "b\n")
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
			c.checkout()
			put(t, c.dir, "a.txt", "newer\n")
			damage(c)
			c.checkout()
			for path, want := range map[string]string{"a.txt": "newer\n", "b.txt": "b\n"} {
				if b, err := os.ReadFile(filepath.Join(c.ship.dir, path)); err != nil || string(b) != want {
					t.Fatalf("%s: %q, %v", path, b, err)
				}
			}
			if dirt := gitOutput(t, c.ship.dir, "status", "--porcelain"); dirt != "" {
				t.Fatal(dirt)
			}
			gitOutput(t, c.ship.dir, "fsck", "--connectivity-only")
			put(t, c.ship.dir, "c.txt", "c\n")
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// emptyDirs removes every object file of a remote's repository.
func emptyDirs(c *crew, dir string) {
	err := filepath.WalkDir(filepath.Join(c.ship.dir, dir), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return os.Remove(path)
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
}

// TestTwoAtOnce serves four requests for one tree at the same time, as may happen after a cut connection: they wait
// for each other.
func TestTwoAtOnce(t *testing.T) {
	c := enlist(t, Options{})
	var wg stdsync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			q := fmt.Sprintf(`{"Format":"sha1","Branch":"ship-1","Name":"n","Mail":"m@m","Have":[]}`+"\n%.0d", i)
			var out strings.Builder
			if err := ship.Serve(t.Context(), c.ship.dir, []string{wire.VerbSnapshot}, strings.NewReader(q), &out); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestServeRefuses(t *testing.T) {
	for name, call := range map[string]struct {
		args []string
		in   string
	}{
		"no verb": {nil, "{}\n"}, "two verbs": {[]string{"has", "has"}, "{}\n"}, "unknown": {[]string{"rm"}, "{}\n"},
		"no request": {[]string{"has"}, ""}, "bad request": {[]string{"has"}, "x\n"},
		"no repository": {[]string{"snapshot"}, "{}\n"}, "mark nothing": {[]string{"mark"}, "{}\n"},
		"tidy home": {[]string{"tidy"}, `{"Dir":"/home"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := ship.Serve(t.Context(), t.TempDir(), call.args, strings.NewReader(call.in), new(strings.Builder)); err == nil {
				t.Fatal("went through")
			}
		})
	}
}
