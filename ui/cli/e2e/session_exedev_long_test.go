//go:build long

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks"
)

// TestSessionExedev has the real Claude Code in all roles of a session, on machines at exe.dev. One piece of work is rejected, and one
// machine stops in the middle of a task.
func TestSessionExedev(t *testing.T) {
	t.Parallel()
	agents := filepath.Join(claudetest.Binary(t), "..", "..")
	machines := exedevtest.Config{Env: map[string]string{"OCAPTAIN_AGENTS": agents}, Shared: []string{agents}, Boot: 300 * time.Millisecond}
	c, fake, _ := atExe(t, machines, claudeEnv(t, claudetest.Start(t, loopback.Worker))...)
	c.scan.agentsGet("ANTHROPIC_AUTH_TOKEN")
	repo := c.freshRepository("kite")
	c.ocaptain("start", "--repo", repo, "--provider", "exedev", "--agent", "claude", "--workers", "2", "--branch", "feat/ship", "--verify", "true", "--detach", "--task", handsIn(`
		{"id": "A", "title": "Carve a figure", "description": "RUN: test -e ~/carved || { touch ~/carved; sleep 301; }; echo figure >figure"},
		{"id": "B", "title": "Sew a sail", "description": "RUN: test -e ~/sewn && echo sail >sail || echo rag >sail; touch ~/sewn\nREVIEW: grep -q sail sail"},
		{"title": "Launch her", "depends_on": ["A", "B"], "description": "RUN: cat figure sail >ship"}`))
	d := c.voyages()[0]
	stopped := ""
	c.until(d, "a machine stops in the middle of a task", func(fleet.Board) bool {
		for _, name := range fake.Machines() {
			if lastProcess(filepath.Join(fake.Root(), name), " sleep 301 ") > 0 {
				stopped = name
				return fake.Stop(name) == nil
			}
		}
		return false
	})
	b := c.allDone(d, 4)
	if is := c.git(d.Workspace(), "show", "feat/ship:ship"); is != "figure\nsail" {
		t.Errorf("the branch has %q", is)
	}
	if i := slices.IndexFunc(b.Tasks, func(x tasks.State) bool { return x.Subject == "Sew a sail" }); b.Tasks[i].Rejections != 1 {
		t.Errorf("the sail was rejected %d times", b.Tasks[i].Rejections)
	}
	if !slices.Contains(fake.Said(), "restart "+stopped) {
		t.Errorf("%s was not brought back", stopped)
	}
	if out := c.ocaptain("pr"); !strings.Contains(out, "- Launch her (") {
		t.Errorf("the pull request says %q", out)
	}
	c.ocaptain("sink", d.ID(), "-f")
	if left := fake.Machines(); len(left) > 0 {
		t.Errorf("left at exe.dev: %q", left)
	}
}
