//go:build long

package e2e

import (
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/agent/otherapi"
)

// TestSessionNPM has agents without hooks as the workers of a session whose planner and validator are the real Claude Code: everything that
// can go wrong does, and helm counts their turns from their output.
func TestSessionNPM(t *testing.T) {
	t.Parallel()
	for _, a := range npmAgents[:2] {
		t.Run(a.name, func(t *testing.T) {
			api, model := claudetest.Start(t, loopback.Worker), startOther(t, otherapi.Worker)
			c := newCaptain(t, append(claudeEnv(t, api), a.env(model.URL)...)...)
			c.builds(crew{
				config: "agent: claude\nworker: {agent: " + a.name + ", model: " + a.model + ", maxTurns: 4}\n", run: "Run", agent: a.process,
				tale: "echo x >>~/n; sed -n 6p ~/n | grep x || { sleep 3; exit 1; }",
			})
		})
	}
}
