package provision

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// A ship gets only the login of its own agent, whichever agents the voyage began with.
func TestOwnSecrets(t *testing.T) {
	secrets := map[string]string{"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GH_TOKEN": "g"}
	for name, want := range map[string]string{"claude": "ANTHROPIC_API_KEY GH_TOKEN", "codex": "GH_TOKEN OPENAI_API_KEY", "script": "GH_TOKEN"} {
		w := &work{Job: Job{Voyage: fleet.Voyage{AgentChoice: fleet.AgentChoice{Agent: "script"}}, Ship: fleet.Ship{Role: fleet.Worker, Agent: name}, Secrets: secrets}}
		own, err := w.ownSecrets()
		if is := strings.Join(slices.Sorted(maps.Keys(own)), " "); err != nil || is != want {
			t.Errorf("%s gets %s, %v", name, is, err)
		}
	}
}
