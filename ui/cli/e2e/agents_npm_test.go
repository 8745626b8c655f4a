//go:build agents

package e2e

import (
	"testing"

	"ocaptain/fleet/agent/modeltest"
)

// TestNPMAgents sails with each of the other agents that can work with a model of one's
// own. They are large, so that .ci/agents runs it, not every CI run.
func TestNPMAgents(t *testing.T) {
	const key = "only-for-tests-0123456789"
	for _, tt := range []struct {
		agent, model string
		env          func(url string) []string
	}{
		{"codex", "gpt-5", func(url string) []string { return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"} }},
		{"opencode", "openai/gpt-4.1", func(url string) []string { return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"} }},
		{"copilot", "gpt-5.4", func(url string) []string {
			return []string{"COPILOT_PROVIDER_API_KEY=" + key, "COPILOT_PROVIDER_BASE_URL=" + url + "/v1"}
		}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			model := modeltest.Start(t, modeltest.Worker)
			c := newCaptain(t, append(tt.env(model.URL), userCache(t))...)
			d, board, jobs := c.sailReal(tt.agent, tt.model)
			c.checkReal(t, d, board, jobs)
		})
	}
}
