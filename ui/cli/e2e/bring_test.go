package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestBring sails a task that needs the .env of the captain's checkout. Without the captain's consent the file is not brought; with it, the
// file is on the ship at each claim, also after helm was killed and started again.
func TestBring(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	repo := filepath.Join(c.home, "kite")
	c.git(c.home, "init", "-q", repo)
	c.write("kite/.gitignore", ".env\n")
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "one")
	c.write("kite/.env", "PASSWORD=hunter2hunter2\n")
	c.write("kite/.worktreeinclude", ".env\n../**\n.git/config\n")
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "two")
	const uses = "grep -q hunter2hunter2 .env && "
	jobs := []job{
		{id: "1", subject: "One", run: uses + "rm .env && echo 1 >one && touch ~/begun && until test -e ~/gate; do sleep 0.1; done"},
		{id: "2", subject: "Two", run: uses + "if test -e ~/told; then echo 2 >two; else touch ~/told; cp .env copy.txt; git add -A; git commit -qm own; git rm -qf copy.txt; fi", after: []string{"1"}},
	}
	plan := c.plan("env", repo, "#!/bin/bash\ntest -s one && test -s two && ! test -e .env && ! test -e copy.txt\n", jobs)
	if out, code := c.try("sail", plan, "--detach"); code == 0 || !strings.Contains(out, ".env, 24 B, by .worktreeinclude: secret") || !strings.Contains(out, "to agree: --bring") {
		t.Errorf("it ends with %d:\n%s", code, out)
	}
	d := c.sail(plan, "-n", "1", "--bring")
	if err := os.Remove(filepath.Join(repo, ".env")); err != nil { // ships have the copy that the captain agreed to
		t.Fatal(err)
	}
	ship := func() string {
		f, err := fleet.LoadFleet(d)
		if err != nil || len(f.Ships) == 0 {
			return ""
		}
		return f.Ships[0].Home
	}
	c.until(d, "task 1 is under way", func(fleet.Board) bool {
		_, err := os.Stat(filepath.Join(ship(), "begun"))
		return ship() != "" && err == nil
	})
	before := c.helm()
	kill(before)
	c.until(d, "another helm", func(b fleet.Board) bool { return b.Helm != before })
	if err := os.WriteFile(filepath.Join(ship(), "gate"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c.complete(d)
	for _, ref := range []string{"HEAD", "--all"} {
		if files := c.git(d.Workspace(), "log", ref, "--format=", "--name-only"); strings.Contains(files, ".env") || strings.Contains(files, "copy.txt") {
			t.Errorf("commits of %s have\n%s", ref, files)
		}
	}
	c.ocaptain("sink", d.ID(), "--force")
	if _, err := os.Lstat(d.Bring()); err == nil {
		t.Error("the files are left when the voyage is sunk")
	}
}
