//go:build long

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestLiveHarbor sails the plan that comes with ocaptain with one tree on three ships.
func TestLiveHarbor(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script", withMutagen(t))
	d := c.sail("example:harbor", "-n", "3", "--sync", "live")
	c.complete(d)
	if got := c.git(d.Workspace(), "status", "--porcelain"); got != "" {
		t.Errorf("workspace differs from the branch:\n%s", got)
	}
}

// TestLiveRealAgents has three of the real Claude Code share a tree.
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
