//go:build long

package e2e

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// TestBudgetWithoutHelm stops helm while the real Claude Code spends a budget: its ship interrupts the agent in time. When the captain
// raises the budget, the agent goes on and loses nothing.
func TestBudgetWithoutHelm(t *testing.T) {
	t.Parallel()
	const steps = 40
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		did := 0
		for _, call := range r.Calls() {
			if call.Tool == "Bash" && call.OK() {
				did++
			}
		}
		if reply := loopback.Worker(r); did >= steps || len(reply.Blocks) == 0 || reply.Blocks[0].Input["status"] != "completed" {
			return reply
		}
		return loopback.Use("Bash", map[string]any{"command": "echo step >>part; sleep 0.2", "description": "Do the work"})
	})
	c := newCaptain(t, claudeEnv(t, api)...)
	jobs := []job{{id: "1", subject: "Build it", run: "touch ~/begun; while [ ! -e ~/go ]; do sleep 0.3; done; echo begin >part"}}
	plan := c.plan("dear", c.freshRepository("dear"), "#!/bin/bash\ntest -e ~/voyage/workspace/part\n", jobs)
	c.toldByModel("dear", jobs)
	d := c.sail(plan, "-n", "1", "--agent", "claude", "--max-cost", "1", "--max-cost-stop")
	m := &measured{captain: c, api: api, dir: d}
	m.logsSums(t)
	s := m.settles("work on the task", "ship-0")
	c.until(d, "the cost is known", func(b fleet.Board) bool { return b.Budget.Spent > 0 })
	eventually.Holds(t, "the ship's allowance", func() bool {
		_, err := os.Stat(m.home(s, ".ocaptain/allowance.json"))
		return err == nil
	})
	c.ocaptain("helm", "stop")
	m.put([]fleet.ShipView{s}, "go")
	eventually.Holds(t, "the interrupt", func() bool {
		raw, err := os.ReadFile(m.home(s, ".ocaptain/journal.jsonl"))
		return err == nil && strings.Contains(string(raw), proto.Overspent)
	})
	asked := len(api.Log())
	c.ocaptain("status") // starts helm
	b := c.until(d, "the budget is spent, and the agent waits", func(b fleet.Board) bool {
		return b.Budget.IsReached() && named(b, "ship-0")[0].Status.Word == fleet.Idle
	})
	eventually.Holds(t, "all that was served", m.equal)
	if got := len(api.Log()); got != asked {
		t.Errorf("after the interrupt it asked %d times", got-asked)
	}
	if b.Budget.Spent > 1.20 {
		t.Errorf("it cost $%.2f of $1", b.Budget.Spent)
	}
	t.Logf("it cost %s in %d requests", b.Budget, asked)
	c.ocaptain("budget", "40")
	c.complete(d)
	eventually.Holds(t, "all that was served in the end", m.equal)
	if lines := strings.Count(c.git(d.Workspace(), "show", d.ID()+":part"), "step"); lines < steps-1 {
		t.Errorf("of %d steps %d are merged", steps, lines)
	}
}
