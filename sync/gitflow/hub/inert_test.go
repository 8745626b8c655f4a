package hub

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// canary is a command that leaves a file when it runs.
type canary struct{ dir string }

func newCanary(t testing.TB) canary {
	c := canary{t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, "sing"), []byte("#!/bin/sh\ntouch "+c.dir+"/sang-$1\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c canary) command(what string) string { return filepath.Join(c.dir, "sing") + " " + what }

func (c canary) silent(t testing.TB) {
	t.Helper()
	if sang, _ := filepath.Glob(filepath.Join(c.dir, "sang-*")); len(sang) > 0 {
		t.Fatalf("executed: %v", sang)
	}
}

// arm sets all hooks and settings of a repository that make git run a command to the canary.
func (c canary) arm(t testing.TB, dir string) {
	t.Helper()
	hooks, err := exec.Command("sh", "-c", "ls $(git --exec-path)/../../share/git-core/templates/hooks 2>/dev/null | sed 's/.sample//'").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := append(strings.Fields(string(hooks)), "post-checkout", "post-index-change", "reference-transaction", "post-rewrite", "post-merge", "fsmonitor-watchman", "update")
	for _, name := range names {
		put(t, dir, ".git/hooks/"+name, "#!/bin/sh\n"+c.command("hook-"+name)+" </dev/null\n")
		if err := os.Chmod(filepath.Join(dir, ".git/hooks", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for key, what := range map[string]string{
		"filter.evil.clean": "clean", "filter.evil.smudge": "smudge", "filter.evil.process": "process", "filter.Evil Two.smudge": "smudge2",
		"merge.evil.driver": "driver", "diff.evil.textconv": "textconv", "diff.evil.command": "diff", "diff.external": "external",
		"core.fsmonitor": "fsmonitor", "core.sshCommand": "ssh", "core.editor": "editor", "core.pager": "pager", "gpg.program": "gpg",
		"credential.helper": "credential", "core.alternateRefsCommand": "alternates", "uploadpack.packObjectsHook": "packobjects",
		"trailer.ocaptain-task.command": "trailer", "core.askPass": "askpass",
	} {
		gitOutput(t, dir, "config", key, c.command(what))
	}
	gitOutput(t, dir, "config", "core.hooksPath", filepath.Join(dir, ".git/hooks"))
	gitOutput(t, dir, "config", "filter.evil.required", "true")
	gitOutput(t, dir, "config", "commit.gpgSign", "true")
	gitOutput(t, dir, "config", "log.showSignature", "true")
}

// TestNothingRuns arms the repositories of the captain and the remotes, and has a remote's .gitattributes name their
// drivers. No call of the hub may run one.
func TestNothingRuns(t *testing.T) {
	h, dir, _ := forge(t, Options{})
	c := newCanary(t)
	s, other := direct{filepath.Join(t.TempDir(), "workspace")}, direct{filepath.Join(t.TempDir(), "workspace")}
	ctx := t.Context()
	for name, r := range map[string]direct{"ship-1": s, "ship-2": other} {
		if _, err := h.Checkout(ctx, r, name, ""); err != nil {
			t.Fatal(err)
		}
		c.arm(t, r.dir)
	}
	c.arm(t, dir)
	if err := os.RemoveAll(filepath.Join(c.dir, "sang-fsmonitor")); err != nil { // arm itself runs git
		t.Fatal(err)
	}
	sang, _ := filepath.Glob(filepath.Join(c.dir, "sang-*"))
	for _, f := range sang {
		os.Remove(f)
	}
	merge := func(r direct, name, task string) error {
		_, err := h.Merge(ctx, r, sync.Merge{Name: name, Subject: task, Author: "E <e@e>", Trailers: [][2]string{{"Ocaptain-Task", task}}})
		return err
	}
	put(t, s.dir, ".gitattributes", "* filter=evil merge=evil diff=evil\n*.two filter=\"Evil Two\"\n[attr]x filter=evil\n")
	put(t, s.dir, "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	put(t, s.dir, "b.two", "two\n")
	var refused *sync.Refused
	if err := merge(s, "ship-1", "filtered"); !errors.As(err, &refused) || len(refused.Paths) != 3 {
		t.Fatalf("work for filters: %v", err)
	}
	put(t, s.dir, ".gitattributes", "* merge=evil diff=evil\n*.two filter=\"Evil Two\"\n[attr]x filter=evil\n")
	if err := os.Remove(filepath.Join(s.dir, "b.two")); err != nil {
		t.Fatal(err)
	}
	if err := merge(s, "ship-1", "1"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "b.two", "two\n") // the captain's edit
	for n, content := range []string{"one\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"} {
		r, name := []direct{s, other}[n], fmt.Sprint("ship-", n+1)
		if n == 0 { // check out both remotes at the same commit
			for name, r := range map[string]direct{"ship-1": s, "ship-2": other} {
				if _, err := h.Checkout(ctx, r, name, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		put(t, r.dir, "a.txt", content)
		if err := merge(r, name, fmt.Sprint("both-", n)); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(b) != "one\n2\n3\n4\n5\n6\n7\n8\nnine\n" {
		t.Fatalf("merged as %q, %v", b, err)
	}
	// Conflicts, markers and the captain's edits must not run a command either.
	put(t, s.dir, "a.txt", "clash\n")
	put(t, dir, "a.txt", "captain\n")
	err := merge(s, "ship-1", "clash")
	if _, ok := asConflict(err); !ok {
		t.Fatalf("want a conflict, have %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(s.dir, "a.txt")); err != nil || !strings.Contains(string(b), ">>>>>>> "+git.LabelYours) {
		t.Fatalf("marked as %q, %v", b, err)
	}
	if err := merge(s, "ship-1", "left"); err == nil {
		t.Fatal("markers went through")
	}
	if _, err := h.Find(ctx, "Ocaptain-Task", "1"); err != nil {
		t.Fatal(err)
	}
	head, err := h.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Clean(ctx, s, head, func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := h.upkeep.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	c.silent(t)
	// A git that is not hardened does run the canary.
	put(t, dir, "control.txt", "x")
	if _, err := tryGit(dir, "add", "control.txt"); err == nil {
		t.Log("git add went through")
	}
	if sang, _ := filepath.Glob(filepath.Join(c.dir, "sang-*")); len(sang) == 0 {
		t.Fatal("the traps are no traps")
	}
}
