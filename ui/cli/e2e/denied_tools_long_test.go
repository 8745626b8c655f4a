//go:build long

package e2e

import (
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// deniedTools lists the tools that agents on ships do not have.
var deniedTools = strings.Fields(`AskUserQuestion EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree CronCreate CronDelete CronList
	ScheduleWakeup Monitor Workflow SendMessage ListAgents ReportFindings NotebookEdit`)

// wayward is a model that tries each tool that it is denied before it does its work.
func wayward(r loopback.Request) loopback.Reply {
	for _, name := range deniedTools {
		if !slices.ContainsFunc(r.Calls(), func(c loopback.Call) bool { return c.Tool == name }) {
			return loopback.Use(name, map[string]any{"prompt": "go on", "message": "hello", "plan": "go on"})
		}
	}
	return loopback.Worker(r)
}

// TestDeniedTools has a planner, a worker and a validator use every tool that they are denied. No use takes effect, and the
// session completes.
func TestDeniedTools(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, wayward)
	c := newCaptain(t, claudeEnv(t, api)...)
	c.ocaptain("start", "--repo", c.freshRepository("kite"), "--agent", "claude", "--workers", "1", "--branch", "feat/ship", "--verify", "test -s ship", "--detach", "--task", handsIn(`
		{"id": "A", "title": "Lay the keel", "description": "RUN: echo keel >keel"},
		{"title": "Launch her", "depends_on": ["A"], "description": "RUN: cat keel >ship"}`))
	d := c.voyages()[0]
	b := c.allDone(d, 3)
	tried := map[string]map[string]bool{} // by role, the tools that were tried
	for _, s := range api.Sessions() {
		for _, call := range s.Last.Calls() {
			if !slices.Contains(deniedTools, call.Tool) {
				continue
			}
			if call.OK() || s.Last.Has(call.Tool) {
				t.Errorf("%s took effect: %s", call.Tool, call.Result)
			}
			role := s.Last.Role()
			if tried[role] == nil {
				tried[role] = map[string]bool{}
			}
			tried[role][call.Tool] = true
		}
	}
	for _, s := range b.Ships {
		if n := len(tried[s.Role]); n != len(deniedTools) {
			t.Errorf("%s tried %d tools, want %d", s.Name, n, len(deniedTools))
		}
	}
}
