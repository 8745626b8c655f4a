//go:build long

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestSessionRoles has the real Claude Code plan and review the work of another kind of agent. Each kind gets its own key alone.
func TestSessionRoles(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, append(claudeEnv(t, api), "CODER_KEY=coder-key-0123456789")...)
	c.ownAgent("mine", "    command: [coder, new, \"{session}\"]\n    resume: [coder, again, \"{session}\"]\n    prompt: stdin\n    output: jsonl\n    env: [CODER_KEY]\n")
	repo := c.freshRepository("kite")
	c.write("captain.yaml", "agent: claude\nworker: {agent: mine}\n")
	c.ocaptain("start", "--repo", repo, "--config", filepath.Join(c.home, "captain.yaml"), "--workers", "2", "--branch", "feat/ship", "--verify", "test -s ship", "--detach", "--task", handsIn(`
		{"id": "A", "title": "Lay the keel", "description": "Run: echo keel >keel; test -z $ANTHROPIC_API_KEY; test -n $CODER_KEY"},
		{"id": "B", "title": "Sew a sail", "description": "Run: test -e ~/sewn && echo sail >sail || echo rag >sail; touch ~/sewn\nREVIEW: grep -q sail sail"},
		{"title": "Launch her", "depends_on": ["A", "B"], "description": "Run: cat keel sail >ship"}`))
	d := c.voyages()[0]
	b := c.until(d, "all is done and verified", func(b fleet.Board) bool {
		_, _, done := b.CountTasks()
		return b.Phase == fleet.Complete && done == 4
	})
	agents := ""
	for i, s := range b.Ships {
		agents += s.Name + " " + s.Agent + ","
		machine := (&fleet.Ship{Number: i, Built: 1}).MachineName(d.ID())
		home := os.DirFS(filepath.Join(c.home, ".local", "share", "ocaptain", "ships", machine, "home"))
		read := func(name string) string {
			raw, err := fs.ReadFile(home, name)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		secrets := read(".ocaptain/secrets.json")
		if told := "you are a " + s.Role + "."; !strings.Contains(read("voyage/prompt.md"), told) {
			t.Errorf("%s is not told that %q", s.Name, told)
		}
		if hasClaude, hasCoder := strings.Contains(secrets, "ANTHROPIC"), strings.Contains(secrets, "CODER"); hasClaude == hasCoder || hasCoder != (s.Agent == "mine") {
			t.Errorf("%s, which is %s, has the secrets %s", s.Name, s.Agent, secrets)
		}
	}
	if agents != "planner-0 claude,validator-0 claude,worker-0 mine,worker-1 mine," {
		t.Errorf("the agents are %s", agents)
	}
	if is := c.git(d.Workspace(), "show", "feat/ship:ship"); is != "keel\nsail" {
		t.Errorf("the branch has %q", is)
	}
	for i := range b.Tasks {
		if x := &b.Tasks[i]; x.ID == "1-2" && x.Rejections != 1 {
			t.Errorf("the sail was rejected %d times", x.Rejections)
		}
	}
}
