package launch

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/ui/launch/problem"
)

// A model on this machine must be exposed to local ships; the check says so before anything is made.
func TestModelOnThisMachine(t *testing.T) {
	for _, tt := range []struct {
		what, config, model string
		wish                Wish
		refused             bool
	}{
		{"not exposed", "", "http://127.0.0.1:11434", Wish{}, true},
		{"by name", "", "http://localhost:11434/v1", Wish{}, true},
		{"another port", "local: {expose: [11435]}\n", "http://[::1]:11434", Wish{}, true},
		{"exposed", "local: {expose: [5432, 11434]}\n", "http://127.0.0.1:11434", Wish{}, false},
		{"elsewhere", "", "https://gateway.example:11434", Wish{}, false},
		{"without walls", "", "http://127.0.0.1:11434", Wish{Unconfined: true}, false},
		{"an agent that does not ask it", "", "http://127.0.0.1:11434", Wish{Agent: "script"}, false},
	} {
		y := testYard(t, "ANTHROPIC_API_KEY=sk-ant-fake", "ANTHROPIC_BASE_URL="+tt.model)
		put(t, y, "config.yaml", tt.config)
		y.Hub.Config = y.Cwd
		tt.wish.Plan = "example:tiny"
		_, err := y.CheckWish(t.Context(), tt.wish)
		var p *problem.Problem
		if !tt.refused && err != nil || tt.refused && (!errors.As(err, &p) || p.Kind != problem.Usage || !strings.Contains(p.Hint, "local: {expose: [11434]}")) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
}
