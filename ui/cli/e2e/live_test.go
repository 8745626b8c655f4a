package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen/mutagentest"
	"ocaptain/tasks/eventually"
)

// withMutagen returns a variable of the environment with which ocaptain finds the real Mutagen.
func withMutagen(t testing.TB) string {
	t.Helper()
	return "PATH=" + filepath.Dir(mutagentest.Binary(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
}

// mutagens returns the captain's processes of Mutagen on this machine: daemon, monitor, and agents of local ships.
func (c *captain) mutagens(argv string) (found []int) {
	c.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		c.Fatal(err)
	}
	for _, file := range all {
		line, _ := os.ReadFile(file)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if strings.Contains(string(line), argv) && strings.Contains(string(env), "MUTAGEN_DATA_DIRECTORY="+c.hub.Runtime) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			found = append(found, pid)
		}
	}
	return found
}

// TestLive sails a voyage in which the hub and all ships share a tree: agents and captain see each other's files before anything is
// committed, a completion commits the tree, and everything goes on after helm and Mutagen's daemon are killed.
func TestLive(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	const wait = "until test -e %; do sleep 0.1; done; "
	see := func(name string) string { return strings.ReplaceAll(wait, "%", name) }
	jobs := []job{
		{id: "1", subject: "One", run: "mkdir -p deep && echo 1 >deep/one; " + see("two") + see("captain.txt") + see("~/gate") + "true"},
		{id: "2", subject: "Two", run: "echo 2 >two; " + see("deep/one") + see("captain.txt") + see("~/gate") + "true"},
		{id: "3", subject: "Three", run: "test -e two && test -e deep/one && git rm -q -f --cached two; rm two && echo 3 >three && mkdir -p node_modules && echo x >node_modules/x", after: []string{"1", "2"}},
	}
	plan := c.plan("live", "none", "#!/bin/bash\ntest -s deep/one && test -s three && test -s captain.txt && ! test -e two\n", jobs)
	d := c.sail(plan, "-n", "2", "--sync", "live")
	ws := d.Workspace()
	c.until(d, "both ships are at work, and their files are here", func(b fleet.Board) bool {
		_, one := os.Stat(filepath.Join(ws, "deep/one"))
		_, two := os.Stat(filepath.Join(ws, "two"))
		return one == nil && two == nil
	})
	board := c.until(d, "the trees are in step", func(b fleet.Board) bool {
		for i := range b.Ships {
			if b.Ships[i].Tree.State != fleet.TreeSame {
				return false
			}
		}
		return len(b.Ships) == 2
	})
	cloned := func(dir string) string {
		out := c.ocaptain("clone", d.ID(), "-d", filepath.Join(c.home, dir))
		return out + c.git(filepath.Join(c.home, dir), "for-each-ref", "--format=%(refname)")
	}
	if out := cloned("early"); !strings.Contains(out, "voyage/unmerged/tree") {
		t.Errorf("clone says\n%s", out)
	} else if got := c.git(filepath.Join(c.home, "early"), "ls-tree", "-r", "--name-only", "voyage/unmerged/tree"); got != "deep/one\ntwo" {
		t.Errorf("the clone has of the tree\n%s", got)
	}
	before := c.helm()
	kill(before)
	for _, pid := range c.mutagens("daemon\x00run") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	c.until(d, "another helm", func(b fleet.Board) bool { return b.Helm != before })
	if err := os.WriteFile(filepath.Join(ws, "captain.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range board.Ships {
		if err := os.WriteFile(filepath.Join(board.Ships[i].Home, "gate"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	board = c.complete(d)
	if got := c.git(ws, "status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("workspace differs from the branch:\n%s", got)
	}
	log := c.git(ws, "log", "--format=%s %an %(trailers:key=Ocaptain-Task,valueonly,separator=%x2C) %(trailers:key=Ocaptain-Beside,valueonly,separator=%x2C)", board.Voyage.Base+"..HEAD")
	if !strings.Contains(log, "Three ship-") || strings.Count(log, "ship-") < 3 || strings.Contains(log, "captain:") {
		t.Errorf("the log is\n%s", log)
	}
	if files := c.git(ws, "ls-tree", "-r", "--name-only", "HEAD"); files != "captain.txt\ndeep/one\nthree" {
		t.Errorf("the branch has\n%s", files)
	}
	c.ocaptain("sink", d.ID(), "-f")
	if out := cloned("late"); strings.Contains(out, "unmerged/tree") || strings.Contains(out, "not have come") {
		t.Errorf("clone of what is sunk says\n%s", out)
	}
	eventually.Holds(t, "Mutagen has ended", func() bool { return len(c.mutagens("mutagen")) == 0 })
}

// TestLiveConflicts has ship and captain write the same files while synchronization is stopped: each keeps its own copy, the captain is told
// and settles each file one way or the other, and nothing is lost.
func TestLiveConflicts(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	const wait = "until test -e ~/%; do sleep 0.1; done; "
	jobs := []job{{
		id: "1", subject: "One",
		run: "echo 0 >a; " + strings.ReplaceAll(wait, "%", "go") + "for f in x y z; do echo ship >$f; done; touch ~/written; " + strings.ReplaceAll(wait, "%", "end") + "true",
	}}
	d := c.sail(c.plan("clash", "none", "#!/bin/bash\n", jobs), "-n", "1", "--sync", "live")
	ws := d.Workspace()
	board := c.until(d, "the ship is at work", func(b fleet.Board) bool {
		_, err := os.Stat(filepath.Join(ws, "a"))
		return err == nil && len(b.Ships) == 1
	})
	home := board.Ships[0].Home
	touch := func(name string) {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	daemons := c.mutagens("daemon\x00run")
	for _, pid := range daemons {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	touch("go")
	eventually.Holds(t, "the ship has written", func() bool {
		_, err := os.Stat(filepath.Join(home, "written"))
		return err == nil
	})
	for _, name := range []string{"x", "y", "z"} {
		if err := os.WriteFile(filepath.Join(ws, name), []byte("hub\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, pid := range daemons {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	c.until(d, "the board has the conflicts", func(b fleet.Board) bool { return b.Ships[0].Tree.CountConflicts() == 3 })
	eventually.Holds(t, "both sides of x are shown", func() bool {
		_, out, _ := strings.Cut(c.ocaptain("conflicts", d.ID()), "ship-0 in step")
		_, out, _ = strings.Cut(out, "x clashes")
		out, _, _ = strings.Cut(out, "clashes")
		return strings.Contains(out, "-hub") && strings.Contains(out, "+ship")
	})
	c.ocaptain("conflicts", "--keep", "both", "--file", "x")
	c.ocaptain("conflicts", "--keep", "ship-0", "--file", "y")
	if out := c.ocaptain("conflicts", "--keep", "hub"); !strings.Contains(out, "settled z") || strings.Contains(out, "settled x") {
		t.Errorf("conflicts --keep hub says\n%s", out)
	}
	touch("end")
	c.complete(d)
	for name, want := range map[string]string{"x": "hub", "x~ship-0": "ship", "y": "ship", "z": "hub"} {
		if got := c.git(ws, "show", "HEAD:"+name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	lost, err := filepath.Glob(filepath.Join(d.Artifacts(), "conflicts", "*", "hub", "y"))
	if raw, _ := os.ReadFile(strings.Join(lost, "")); err != nil || string(raw) != "hub\n" {
		t.Errorf("the copy of y that does not count: %q in %v, %v", raw, lost, err)
	}
	kept, err := filepath.Glob(filepath.Join(d.Artifacts(), "conflicts", "*", "ship-0", "z.tar"))
	if err != nil || len(kept) != 1 {
		t.Errorf("the copy of z that does not count: %v, %v", kept, err)
	}
}

// TestLiveOnHosts has ships on two of the captain's hosts, one behind the other, share a tree.
func TestLiveOnHosts(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, append(canaries(), withMutagen(t))...)
	c.scan.agentsGet()
	c.ashore()
	jobs := []job{
		{id: "1", subject: "One", run: "echo 1 >one; until test -e two; do sleep 0.1; done"},
		{id: "2", subject: "Two", run: "echo 2 >two; until test -e one; do sleep 0.1; done"},
	}
	d := c.sail(c.plan("afar", "none", "#!/bin/bash\ntest -s one && test -s two\n", jobs), "-n", "2", "--agent", "script", "--provider", "hosts", "--sync", "live")
	c.complete(d)
	c.ocaptain("sink", d.ID(), "-f")
	eventually.Holds(t, "Mutagen has ended", func() bool { return len(c.mutagens("mutagen")) == 0 })
}

// TestLiveRestore has an agent remove most of the tree: synchronization stops until the captain, who is asked, restores the
// tree.
func TestLiveRestore(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	repo := filepath.Join(c.home, "many")
	c.git(c.home, "init", "-q", repo)
	for i := range 40 {
		c.write("many/part"+strconv.Itoa(i), strconv.Itoa(i))
	}
	c.write("many/README", "keep")
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "begin")
	jobs := []job{{
		id: "1", subject: "One",
		run: "echo 1 >one; until test -e ~/go; do sleep 0.1; done; rm -f part*; touch ~/gone; until test -e ~/end; do sleep 0.1; done; test -e part39 && echo more >>one",
	}}
	d := c.sail(c.plan("rm", repo, "#!/bin/bash\ntest -s part0 && test -s one\n", jobs), "-n", "1", "--sync", "live")
	ws := d.Workspace()
	copied := func() bool { return strings.Contains(c.ocaptain("restore", "--voyage", d.ID()), "20") }
	board := c.until(d, "the ship is at work, and the tree is copied", func(b fleet.Board) bool {
		_, err := os.Stat(filepath.Join(ws, "one"))
		return err == nil && len(b.Ships) == 1 && copied() && c.git(ws, "ls-tree", "--name-only", "refs/ocaptain/shared", "one") == "one"
	})
	whole := c.git(ws, "log", "-1", "--format=%ct", "refs/ocaptain/shared")
	touch := func(name string) {
		if err := os.WriteFile(filepath.Join(board.Ships[0].Home, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	touch("go")
	board = c.until(d, "the tree is paused", func(b fleet.Board) bool { return b.Ships[0].Tree.State == fleet.TreePaused })
	if why := board.Ships[0].Tree.Why; !strings.HasPrefix(why, "40 of 42 files went away at once; to undo that: ocaptain restore") {
		t.Errorf("it is paused, as %s", why)
	}
	sec, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if out := c.ocaptain("restore", "--at", time.Unix(sec, 0).UTC().Format(time.RFC3339), "--voyage", d.ID()); !strings.Contains(out, "40 files as of") {
		t.Errorf("restore says\n%s", out)
	}
	eventually.Holds(t, "the ship has them again", func() bool {
		_, err := os.Stat(filepath.Join(board.Ships[0].Home, "voyage", "workspace", "part39"))
		return err == nil
	})
	touch("end")
	c.complete(d)
}

// TestArtifacts has each ship copy a git-ignored directory to the hub, in a voyage whose ships have trees of their own.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	jobs := []job{{id: "1", subject: "One", run: "echo out/ >.gitignore && mkdir -p out/reports && echo mine >out/reports/a && echo no >out/b && until test -e ~/end; do sleep 0.1; done; echo last >out/reports/z"}}
	plan := c.plan("reports", "none", "#!/bin/bash\ntest -s .gitignore && ! test -e out\n", jobs)
	raw, err := os.ReadFile(filepath.Join(plan, "voyage.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.write("reports/voyage.json", strings.Replace(string(raw), "{", `{"artifacts": ["out/reports"],`, 1))
	d := c.sail(plan, "-n", "1")
	at := filepath.Join(d.Artifacts(), "ship-0", "out", "reports")
	board := c.until(d, "the first report is here", func(b fleet.Board) bool {
		raw, err := os.ReadFile(filepath.Join(at, "a"))
		return err == nil && string(raw) == "mine\n"
	})
	if err := os.WriteFile(filepath.Join(board.Ships[0].Home, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c.complete(d)
	c.ocaptain("sink", d.ID(), "-f")
	if raw, err := os.ReadFile(filepath.Join(at, "z")); err != nil || string(raw) != "last\n" {
		t.Errorf("the last report: %q, %v", raw, err)
	}
	if _, err := os.Lstat(filepath.Join(d.Artifacts(), "ship-0", "out", "b")); err == nil {
		t.Error("what the plan does not name came home")
	}
	eventually.Holds(t, "Mutagen has ended", func() bool { return len(c.mutagens("mutagen")) == 0 })
}
