//go:build long

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestNewestAgent sails a small plan with the newest Claude Code in the registry. When its trial refuses the version, the captain
// is told that, and nothing is made.
func TestNewestAgent(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	registry, err := exec.CommandContext(t.Context(), "npm", "config", "get", "registry").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := newCaptain(t, append(claudeEnv(t, api), "npm_config_registry="+strings.TrimSpace(string(registry)))...)
	c.write("project/README", "begin\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	jobs := []job{
		{id: "1", subject: "Lay the keel", run: "echo keel >keel"},
		{id: "2", subject: "Launch her", run: "cat keel >ship", after: []string{"1"}},
	}
	plan := c.plan("newest", repo, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest -s ship\n", jobs)
	c.toldByModel("newest", jobs)
	tried, _ := c.try("doctor", "--agent", "claude@latest")
	t.Logf("%s", tried)
	if strings.Contains(tried, "it cannot sail") {
		if out, code := c.try("sail", plan, "-n", "2", "--agent", "claude", "--agent-version", "latest"); code == 0 || !strings.Contains(out, "cannot sail") {
			t.Errorf("one that is refused sails: %d\n%s", code, out)
		}
		if left, _ := os.ReadDir(c.hub.Voyages); len(left) != 0 {
			t.Errorf("it left %v", left)
		}
		return
	}
	d := c.sail(plan, "-n", "2", "--agent", "claude", "--agent-version", "latest")
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	for _, s := range board.Ships {
		if s.Version == "" || !strings.Contains(tried, s.Version) {
			t.Errorf("%s has version %q", s.Name, s.Version)
		}
	}
	c.ocaptain("ship", "replace", "ship-1", "--agent-version", "tested", "-f")
	board = c.until(d, "another version aboard", func(b fleet.Board) bool { return b.Ships[1].Version == claudetest.Version })
	if board.Ships[0].Version == claudetest.Version {
		t.Error("both ships have the tested version")
	}
	events, err := os.ReadFile(d.Events())
	if err != nil || !strings.Contains(string(events), "has claude "+claudetest.Version+", and there is "+board.Ships[0].Version+" on ship-0") {
		t.Errorf("that versions are mixed is not said: %v", err)
	}
}
