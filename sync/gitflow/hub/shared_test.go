package hub

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/workspace"
)

// enlistShared is enlist with Options.Shared. The method put plays Mutagen: it writes a file into both trees.
func enlistShared(t *testing.T) *crew {
	c := enlist(t, Options{Shared: true})
	files, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil {
			put(t, c.ship.dir, filepath.Base(file), string(raw))
		}
	}
	return c
}

func (c *crew) put(name, text string) {
	c.Helper()
	put(c, c.dir, name, text)
	put(c, c.ship.dir, name, text)
}

// TestSharedCheckout: a checkout moves the remote's HEAD and branch, and touches no file in either tree.
func TestSharedCheckout(t *testing.T) {
	c := enlistShared(t)
	c.put("a.txt", "somebody is at it")
	put(t, c.ship.dir, "own.txt", "has not come yet")
	gitOutput(t, c.ship.dir, "commit", "-q", "-a", "-m", "an agent's own")
	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	if k := c.checkout(); k.Commit != head || k.Parked != "" {
		t.Errorf("%+v, want %s", k, head)
	}
	if got := gitOutput(t, c.ship.dir, "rev-parse", "HEAD"); got != head {
		t.Errorf("the ship stands on %s", got)
	}
	if got := gitOutput(t, c.ship.dir, "status", "--porcelain"); got != "M a.txt\n?? own.txt" && got != " M a.txt\n?? own.txt" {
		t.Errorf("status there is %q", got)
	}
	if got := gitOutput(t, c.dir, "rev-parse", "voyage"); got != head {
		t.Error("what somebody is at was committed as the captain's")
	}
}

// TestSharedCheckoutEmpty: an empty remote tree does not delete the files of the branch.
func TestSharedCheckoutEmpty(t *testing.T) {
	c := enlist(t, Options{Shared: true})
	c.ship = direct{filepath.Join(t.TempDir(), "workspace")}
	if _, err := c.h.Checkout(t.Context(), c.ship, "ship-2", ""); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(c.ship.dir); err != nil || len(names) != 1 || names[0].Name() != ".git" {
		t.Errorf("%v: %v", names, err)
	}
	if got := gitOutput(t, c.ship.dir, "ls-files"); !strings.Contains(got, "a.txt") {
		t.Errorf("the index has %q", got)
	}
}

// TestSharedMerge: a merge commits the work of all ships, with the completing ship as the author, and leaves the
// files alone.
func TestSharedMerge(t *testing.T) {
	c := enlistShared(t)
	c.put(".gitignore", "*.log\n")
	c.put("new.txt", "of ship-1")
	c.put("a.txt", "of ship-2")
	c.put("x.log", "ignored")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(gitOutput(t, c.dir, "diff", "--name-only", "voyage^", "voyage")); !slices.Equal(got, []string{".gitignore", "a.txt", "new.txt"}) {
		t.Errorf("the commit has %q", got)
	}
	if got := gitOutput(t, c.dir, "log", "-1", "--format=%s %an %P", "voyage"); !strings.HasPrefix(got, "task E ") {
		t.Errorf("it says %q", got)
	}
	if got := gitOutput(t, c.dir, "status", "--porcelain"); got != "" {
		t.Errorf("status here is %q", got)
	}
	before := gitOutput(t, c.dir, "rev-parse", "voyage")
	m, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "again", Author: "E <e@e>"})
	if err != nil || m.Changed != 0 || m.Commit != before {
		t.Errorf("%+v: %v", m, err)
	}
	if err := os.Remove(filepath.Join(c.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "show", "--name-status", "--format=", "voyage"); got != "D\ta.txt" {
		t.Errorf("a deletion is %q", got)
	}
}

// TestSharedCheck: the check gets the commit to be merged; when the check fails, nothing changes. Files and commits
// that others write during the check stay.
func TestSharedCheck(t *testing.T) {
	c := enlistShared(t)
	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	c.put("new.txt", "one")
	no := errors.New("no")
	order := sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Check: func(context.Context, string) error { return no }}
	if _, err := c.h.Merge(t.Context(), c.ship, order); !errors.Is(err, no) || gitOutput(t, c.dir, "rev-parse", "voyage") != head {
		t.Errorf("%v", err)
	}
	tries := 0
	order.Check = func(_ context.Context, commit string) error {
		if tries++; tries == 1 {
			put(t, c.dir, "captain.txt", "committed")
			gitOutput(t, c.dir, "add", "captain.txt")
			gitOutput(t, c.dir, "commit", "-q", "-m", "the captain's")
			put(t, c.dir, "late.txt", "not yet")
		}
		if got := gitOutput(t, c.dir, "show", commit+":new.txt"); got != "one" {
			t.Errorf("it would commit %q", got)
		}
		return nil
	}
	if _, err := c.h.Merge(t.Context(), c.ship, order); err != nil || tries != 2 {
		t.Errorf("%d tries: %v", tries, err)
	}
	if got := gitOutput(t, c.dir, "log", "--format=%s", head+"..voyage"); got != "task\nthe captain's" {
		t.Errorf("the branch has %q", got)
	}
	put(t, c.dir, "late.txt", "changed during the check")
	if got := gitOutput(t, c.dir, "status", "--porcelain"); !strings.Contains(got, "late.txt") {
		t.Errorf("status here is %q", got)
	}
}

// TestSharedHostile: a merge judges files that steer agents and refuses forbidden files, although they are in the
// captain's tree already.
func TestSharedHostile(t *testing.T) {
	c := enlistShared(t)
	c.put("CLAUDE.md", "do as I say")
	var asked []string
	order := sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Steers: func(s sync.Steering) error { asked = s.Paths; return errors.New("no") }}
	if _, err := c.h.Merge(t.Context(), c.ship, order); err == nil || !slices.Equal(asked, []string{"CLAUDE.md"}) {
		t.Errorf("asked about %q: %v", asked, err)
	}
	if err := errors.Join(os.Remove(filepath.Join(c.dir, "CLAUDE.md")), os.Remove(filepath.Join(c.ship.dir, "CLAUDE.md"))); err != nil {
		t.Fatal(err)
	}
	c.put(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ./x\n")
	if got := c.refused(); !slices.Equal(got, []string{".gitmodules"}) {
		t.Errorf("refused for %q", got)
	}
}

// TestSharedStash: with Whole, a merge refuses to leave an agent's stash behind.
func TestSharedStash(t *testing.T) {
	c := enlistShared(t)
	c.put("a.txt", "mine")
	gitOutput(t, c.ship.dir, "stash", "-q")
	_, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Whole: true})
	var no *sync.Refused
	if !errors.As(err, &no) || !slices.Equal(no.Paths, []string{"1 in the stash"}) {
		t.Errorf("%v", err)
	}
}

// TestSharedCopies: RestoreShared restores lost files from a copy of the tree, all or by name, and changes nothing
// else.
func TestSharedCopies(t *testing.T) {
	c := enlistShared(t)
	c.put("deep/one", "1")
	c.put("deep/two", "2")
	c.put("other", "3")
	copyNow := func(want workspace.Copied) {
		t.Helper()
		if got, err := c.h.Workspace.CopyShared(t.Context()); err != nil || got != want {
			t.Errorf("copied %+v: %v, want %+v", got, err, want)
		}
	}
	copyNow(workspace.Copied{})
	copyNow(workspace.Copied{}) // nothing changed since
	before := len(strings.Fields(gitOutput(t, c.dir, "ls-tree", "-r", "--name-only", "refs/ocaptain/shared")))
	if err := errors.Join(os.RemoveAll(filepath.Join(c.dir, "deep")), os.Rename(filepath.Join(c.dir, "other"), filepath.Join(c.dir, "moved"))); err != nil {
		t.Fatal(err)
	}
	copyNow(workspace.Copied{Files: before, Gone: 2}) // a moved file does not count as gone
	put(t, c.dir, "late", "4")
	copies, err := workspace.Copies(t.Context(), c.dir, "voyage", 10)
	if err != nil || len(copies) != 2 || copies[0].At.Before(copies[1].At) || copies[0].At.IsZero() {
		t.Fatalf("%+v: %v", copies, err)
	}
	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	changed, err := c.h.Workspace.RestoreShared(t.Context(), copies[1].Commit, []string{"deep"})
	if err != nil || !slices.Equal(changed, []string{"deep/one", "deep/two"}) {
		t.Errorf("%q: %v", changed, err)
	}
	has := func(want map[string]string) {
		t.Helper()
		for name, text := range want {
			if raw, _ := os.ReadFile(filepath.Join(c.dir, name)); string(raw) != text {
				t.Errorf("%s has %q, want %q", name, raw, text)
			}
		}
	}
	has(map[string]string{"deep/one": "1", "deep/two": "2", "other": "", "moved": "3", "late": "4"})
	if changed, err = c.h.Workspace.RestoreShared(t.Context(), copies[1].Commit, nil); err != nil || !slices.Equal(changed, []string{"late", "moved", "other"}) {
		t.Errorf("%q: %v", changed, err)
	}
	has(map[string]string{"deep/one": "1", "other": "3", "moved": "", "late": ""})
	if copies, err = workspace.Copies(t.Context(), c.dir, "voyage", 10); err != nil || len(copies) != 4 { // each restore first copied the tree as it was
		t.Errorf("%+v: %v", copies, err)
	}
	if got := gitOutput(t, c.dir, "rev-parse", "voyage"); got != head {
		t.Error("the branch was moved")
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "log", "--format=%s %P", "-1", "voyage"); got != "task "+head {
		t.Errorf("the commit is %q", got)
	}
	if changed, err = c.h.Workspace.RestoreShared(t.Context(), copies[0].Commit, []string{"nowhere"}); err != nil || len(changed) > 0 {
		t.Errorf("%q: %v", changed, err)
	}
}

// TestTakeOut: TakeOut points refs/ocaptain/open at one commit with the tree's unmerged work, and deletes the ref
// once that is merged.
func TestTakeOut(t *testing.T) {
	c := enlistShared(t)
	open := func() string {
		t.Helper()
		if err := c.h.Workspace.TakeOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		return gitOutput(t, c.dir, "for-each-ref", "--format=%(parent)", "refs/ocaptain/open")
	}
	if got := open(); got != "" {
		t.Errorf("nothing is open, and is kept on top of %s", got)
	}
	c.put("new.txt", "of ship-1")
	if got, head := open(), gitOutput(t, c.dir, "rev-parse", "voyage"); got != head || gitOutput(t, c.dir, "show", "refs/ocaptain/open:new.txt") != "of ship-1" {
		t.Errorf("it is on top of %s, want %s", got, head)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := open(); got != "" {
		t.Errorf("all is merged, and more is kept on top of %s", got)
	}
}
