//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks/eventually"
)

// TestLiveHarbor sails the example plan "harbor" with a shared tree on three ships.
func TestLiveHarbor(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	d := c.sail("example:harbor", "-n", "3", "--sync", "live")
	c.complete(d)
	if got := c.git(d.Workspace(), "status", "--porcelain"); got != "" {
		t.Errorf("workspace differs from the branch:\n%s", got)
	}
}

// TestLiveRealAgents has three real Claude Codes share a tree.
func TestLiveRealAgents(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, append(claudeEnv(t, api), withMutagen(t))...)
	c.write("project/README", "begin\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	var jobs []job
	for i := 1; i <= 5; i++ {
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: fmt.Sprintf("echo %d >part%d", i, i)})
	}
	jobs = append(jobs, job{id: "6", subject: "Launch her", run: "cat part* >ship", after: []string{"1", "2", "3", "4", "5"}})
	plan := c.plan("live", repo, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(cat ship | tr -d '\\n')\" = 12345\n", jobs)
	c.toldByModel("live", jobs)
	c.complete(c.sail(plan, "-n", "3", "--agent", "claude", "--sync", "live"))
}

// TestLiveKilledAfterGrant kills helm when it has granted a task and not told the ship yet; the ship shares the tree at that moment. The next
// helm grants the same: the task is done once.
func TestLiveKilledAfterGrant(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	jobs := []job{{id: "1", subject: "One", run: "echo 1 >one; until test -e ~/gate; do sleep 0.1; done"}}
	d := c.sail(c.plan("granted", "none", "#!/bin/bash\ntest -s one && test -s two\n", jobs), "-n", "2", "--sync", "live")
	board := c.until(d, "a ship is at work", func(b fleet.Board) bool {
		return len(b.Ships) == 2 && b.Ships[0].Task+b.Ships[1].Task == "1" && b.Ships[0].Tree.State == fleet.TreeSame && b.Ships[1].Tree.State == fleet.TreeSame
	})
	daemons := c.mutagens("daemon\x00run")
	for _, pid := range daemons {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	c.ocaptain("add", "Two", "--run", "echo x >>~/ran; echo 2 >two")
	eventually.Holds(t, "helm has granted task 2", func() bool {
		raw, err := os.ReadFile(d.Events())
		for line := range bytes.Lines(raw) {
			if err == nil && bytes.Contains(line, []byte(`"kind":"task.claimed"`)) && bytes.Contains(line, []byte(`"task":"2"`)) {
				return true
			}
		}
		return false
	})
	before := c.helm()
	kill(before)
	for _, pid := range daemons {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	c.until(d, "another helm", func(b fleet.Board) bool { return b.Helm != before })
	for i := range board.Ships {
		if err := os.WriteFile(filepath.Join(board.Ships[i].Home, "gate"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.complete(d)
	ran := ""
	for i := range board.Ships {
		raw, _ := os.ReadFile(filepath.Join(board.Ships[i].Home, "ran"))
		ran += string(raw)
	}
	if ran != "x\n" {
		t.Errorf("task 2 ran %q", ran)
	}
	if log := c.git(d.Workspace(), "log", "--format=%(trailers:key=Ocaptain-Task,valueonly)"); strings.Count(log, "2") != 1 {
		t.Errorf("the log has tasks\n%s", log)
	}
}
