package repository

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
)

// cloned makes a repository and a clone whose branch main lacks a commit, and in whose remote alone there is the branch feature/foo.
func cloned(t *testing.T) (dir string, git func(dir string, args ...string) string) {
	t.Helper()
	top := t.TempDir()
	git = func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(top, dir)}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(bytes.TrimSpace(out))
	}
	git(".", "init", "-q", "-b", "main", "far")
	git("far", "commit", "-q", "--allow-empty", "-m", "one")
	git("far", "branch", "feature/foo")
	git("far", "commit", "-q", "--allow-empty", "-m", "two")
	git(".", "clone", "-q", "far", "near")
	git("near", "reset", "-q", "--hard", "HEAD~1")
	git("far", "commit", "-q", "--allow-empty", "-m", "three")
	git("far", "branch", "late")
	return filepath.Join(top, "near"), git
}

// TestBegin chooses the base of work, and notes it when the captain may mean something else.
func TestBegin(t *testing.T) {
	for _, c := range []struct {
		name, base, fetch string
		change            func(git func(dir string, args ...string) string)
		dir, want         string // the base that is given in one of the repositories, "" for the branch that is checked out
		says              string // a note, or an error
	}{
		{name: "behind", says: "work begins at main, which lacks 1 commit of origin/main"},
		{name: "behind, named", base: "main", dir: "near", want: "main", says: "lacks 1 commit of origin/main"},
		{name: "level", change: func(git func(string, ...string) string) { git("near", "merge", "-q", "origin/main") }},
		{name: "no upstream", change: func(git func(string, ...string) string) { git("near", "checkout", "-q", "--no-track", "-b", "own") }},
		{name: "detached", change: func(git func(string, ...string) string) { git("near", "checkout", "-q", "--detach") }, says: "no branch is checked out, and work begins at commit "},
		{name: "remote alone", base: "feature/foo", dir: "far", want: "feature/foo", says: "no branch here is called feature/foo, and work begins at origin/feature/foo"},
		{name: "remote, named", base: "origin/feature/foo", dir: "far", want: "feature/foo"},
		{name: "remote of another name", base: "feature/foo", dir: "far", want: "feature/foo", says: "upstream/feature/foo", change: func(git func(string, ...string) string) { git("near", "remote", "rename", "origin", "upstream") }},
		{name: "local one first", base: "feature/foo", dir: "near", want: "main", change: func(git func(string, ...string) string) { git("near", "branch", "--no-track", "feature/foo", "main") }},
		{name: "commit", base: "origin/main~1", dir: "far", want: "main~2"},
		{name: "nothing", base: "late", says: `no branch, tag or commit "late"`},

		{name: "fetch", fetch: FetchFlag, dir: "far", want: "main"},
		{name: "fetch, as configured", fetch: "base: newest (from config.yaml:1)", dir: "far", want: "main"},
		{name: "fetch, ahead", fetch: FetchFlag, dir: "far", want: "main", says: "main has commits that origin/main lacks", change: func(git func(string, ...string) string) { git("near", "commit", "-q", "--allow-empty", "-m", "mine") }},
		{name: "fetch, remote alone", fetch: FetchFlag, base: "feature/foo", dir: "far", want: "feature/foo"},
		{name: "fetch, not seen yet", fetch: FetchFlag, base: "late", dir: "far", want: "late"},
		{name: "fetch, named with its remote", fetch: FetchFlag, base: "origin/late", dir: "far", want: "late"},
		{name: "fetch, of another name", fetch: FetchFlag, base: "mine", dir: "far", want: "feature/foo", change: func(git func(string, ...string) string) { git("near", "branch", "mine", "origin/feature/foo") }},
		{name: "fetch, no remote", fetch: FetchFlag, says: "--fetch: /near has no remote", change: func(git func(string, ...string) string) { git("near", "remote", "rm", "origin") }},
		{name: "fetch, no upstream", fetch: FetchFlag, says: "has no remote branch that own follows", change: func(git func(string, ...string) string) { git("near", "checkout", "-q", "--no-track", "-b", "own") }},
		{name: "fetch, detached", fetch: FetchFlag, says: "has no branch checked out", change: func(git func(string, ...string) string) { git("near", "checkout", "-q", "--detach") }},
		{name: "fetch, a tag", fetch: FetchFlag, base: "v1", says: "v1 as a tag", change: func(git func(string, ...string) string) { git("near", "tag", "v1") }},
		{name: "fetch, nowhere", fetch: FetchFlag, base: "nope", says: `remote origin of /near has no branch "nope"`},
		{name: "fetch, no network", fetch: "base: newest (from config.yaml:1)", says: "base: newest (from config.yaml:1): origin/main cannot be looked up: its host is not known", change: func(git func(string, ...string) string) {
			git("near", "remote", "set-url", "origin", "https://no-such-host.invalid/x")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, git := cloned(t)
			if c.change != nil {
				c.change(git)
			}
			w := &Work{Repo: tasks.Repo{Kind: tasks.RepoPath, Name: dir}, Source: dir, Fetch: c.fetch}
			before := git("near", "for-each-ref")
			notes, p := w.Begin(t.Context(), c.base, nil)
			var all []string
			if p != nil {
				all = append(all, p.Error())
				if p.Hint == "" {
					t.Error("the error has no fix")
				}
			}
			for _, b := range notes {
				all = append(all, b.What)
			}
			said := strings.ReplaceAll(strings.Join(all, "\n"), filepath.Dir(dir), "")
			if len(all) > 1 || !strings.Contains(said, c.says) || c.says == "" && said != "" {
				t.Errorf("it says %q, want %q", said, c.says)
			}
			switch {
			case c.want != "":
				begun(t, w, git(c.dir, "rev-parse", c.want))
			case p == nil && w.Base != "":
				t.Errorf("it begins at %s, want what is checked out", w.Base)
			}
			if after := git("near", "for-each-ref"); after != before {
				t.Errorf("the captain's refs were\n%s\nand are\n%s", before, after)
			}
			if _, err := os.Stat(filepath.Join(dir, ".git", "FETCH_HEAD")); err == nil {
				t.Error("the captain's repository has a FETCH_HEAD")
			}
		})
	}
}

// begun checks that a workspace begins at a commit, and that the workspace of an existing pool gets the commit.
func begun(t *testing.T, w *Work, want string) {
	t.Helper()
	workspace := filepath.Join(t.TempDir(), "workspace")
	if at, err := w.Prepare(t.Context(), workspace, "v"); err != nil || at != want {
		t.Errorf("the workspace begins at %q, %v; want %s", at, err, want)
	}
	older := filepath.Join(t.TempDir(), "workspace")
	if _, err := origin.Prepare(t.Context(), older, w.Source, "v", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	if at, err := w.FetchInto(t.Context(), older, w.Base); err != nil || at != want {
		t.Errorf("the dispatch begins at %q, %v; want %s", at, err, want)
	}
}

// TestFetchLimit ends a query and a fetch that take too long.
func TestFetchLimit(t *testing.T) {
	asked, fetched := reaching, fetching
	t.Cleanup(func() { reaching, fetching = asked, fetched })
	reaching = 200 * time.Millisecond
	dir, git := cloned(t)
	git("near", "remote", "set-url", "origin", "ssh://nobody.invalid/x")
	t.Setenv("GIT_SSH_COMMAND", "exec sleep 3 #")
	w := &Work{Repo: tasks.Repo{Kind: tasks.RepoPath, Name: dir}, Source: dir, Fetch: FetchFlag}
	if _, p := w.Begin(t.Context(), "", nil); p == nil || !strings.Contains(p.Error(), "no answer within") {
		t.Errorf("it says %v", p)
	}
	fetching = 200 * time.Millisecond
	w.remote, w.Base = "ssh://nobody.invalid/x", strings.Repeat("1", 40)
	workspace := filepath.Join(t.TempDir(), "workspace")
	if _, err := w.Prepare(t.Context(), workspace, "v"); err == nil || !strings.Contains(err.Error(), "--fetch: it was not over after 200ms") {
		t.Errorf("it says %v", err)
	}
	if _, err := os.Stat(workspace); err == nil {
		t.Error("there is half a workspace")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, p := w.Begin(ctx, "", nil); p == nil {
		t.Error("it goes on after ctrl-c")
	}
}
