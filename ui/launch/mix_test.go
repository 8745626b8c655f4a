package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/launch/problem"
)

// The providers and the number of ships from each are determined in one place, and each provider is checked before
// anything is made.
func TestMix(t *testing.T) {
	for _, tt := range []struct {
		name  string
		env   []string
		wish  Wish
		field problem.Field
		want  string
	}{
		{"no numbers", nil, Wish{Plan: "example:tiny", Provider: "local,hosts=2"}, problem.Provider, "how many ships come from local"},
		{"twice", nil, Wish{Plan: "example:tiny", Provider: "local=1,local=2"}, problem.Provider, "named twice"},
		{"another sum", nil, Wish{Plan: "example:tiny", Provider: "local=1,hosts=2", Ships: "4"}, problem.Provider, "4 ships are asked for, and provider local=1,hosts=2 (from flag) makes 3; say it in one place only"},
		{"configured", []string{"OCAPTAIN_PROVIDER=local=1,sprites=2"}, Wish{Plan: "example:tiny", Ships: "4"}, problem.Provider, "(from environment OCAPTAIN_PROVIDER) makes 3"},
		{"without a plan", nil, Wish{Agent: "claude", Provider: "local=1,hosts=2"}, problem.Provider, "without a plan there is one ship"},
		{"one of them lacks its token", nil, Wish{Plan: "example:tiny", Provider: "local=1,sprites=2"}, problem.Provider, "SPRITES_TOKEN is not set"},
		{"one of them is not configured", nil, Wish{Plan: "example:tiny", Provider: "local=1,hosts=2"}, problem.Provider, "no hosts are configured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.wish.Agent == "" {
				tt.wish.Agent = "script"
			}
			_, err := testYard(t, append(tt.env, "ANTHROPIC_API_KEY=sk-ant-fake")...).CheckWish(t.Context(), tt.wish)
			var p *problem.Problem
			if !errors.As(err, &p) || p.Field != tt.field || !strings.Contains(p.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	// The limits of hosts are known before the hosts are asked.
	y := testYard(t)
	if err := os.MkdirAll(y.Hub.Config, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(y.Hub.Config, "config.yaml"), []byte("hosts: [ada@127.0.0.1:1*2, bob@127.0.0.1:1]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wish := Wish{Plan: "example:tiny", Agent: "script", Provider: "hosts", Ships: "4"}
	if _, err := y.CheckWish(t.Context(), wish); err == nil || strings.Contains(err.Error(), "may have") {
		t.Errorf("a host without a limit: %v", err)
	}
	if err := os.WriteFile(filepath.Join(y.Hub.Config, "config.yaml"), []byte("hosts: [ada@127.0.0.1:1*2, bob@127.0.0.1:1*1]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wish := range []Wish{wish, {Plan: "example:tiny", Agent: "script", Provider: "local=1,hosts=4"}} {
		var p *problem.Problem
		if _, err := y.CheckWish(t.Context(), wish); !errors.As(err, &p) || p.Field != problem.Provider || !strings.Contains(p.Error(), "4 ships cannot go to your hosts, which may have 3 more (hosts is from ") {
			t.Errorf("too many for the hosts: %v", err)
		}
	}
	// A mix with numbers overrides the plan's and the configuration's number of ships.
	o, err := testYard(t, "OCAPTAIN_DEFAULT_SHIPS=7").CheckWish(t.Context(), Wish{Plan: "example:tiny", Agent: "script", Provider: "local=3"})
	if err != nil || o.Ships != 3 || o.Mix.AsText() != "local" {
		t.Errorf("three local ships: %+v, %v", o, err)
	}
}

// For ships that are added from elsewhere that provider is checked, and no agent gets more rights than the captain
// agreed to when the voyage sailed.
func TestBerth(t *testing.T) {
	v := fleet.Voyage{AgentChoice: fleet.AgentChoice{Agent: "script"}, Provider: "local"}
	y := testYard(t)
	if _, err := y.CheckMore(t.Context(), More{Provider: "hosts"}, v); err == nil || !strings.Contains(err.Error(), "no hosts are configured") {
		t.Errorf("hosts: %v", err)
	}
	if m, err := y.CheckMore(t.Context(), More{Provider: "local=2"}, v); err != nil || m.Mix.ShipCount() != 2 {
		t.Errorf("local: %v, %v", m, err)
	}
	v.Agent = "claude"
	_, err := y.CheckMore(t.Context(), More{}, v)
	if why := places.Confinement(t.Context(), y.Hub); (err == nil) != (why == nil) {
		t.Errorf("a claude that nobody let out: %v; confinement %v", err, why)
	}
	v.Unconfined = true
	if _, err = y.CheckMore(t.Context(), More{}, v); err != nil {
		t.Errorf("one that was let out: %v", err)
	}
}

// Ships with another agent than the voyage's first one get that agent's login; the agent must be known.
func TestMoreOfAnotherAgent(t *testing.T) {
	v := fleet.Voyage{AgentChoice: fleet.AgentChoice{Agent: "script"}, Provider: "local", Unconfined: true}
	for name, want := range map[string]string{"codex": "cannot log in", "cobol": "cobol"} {
		if _, err := testYard(t).CheckMore(t.Context(), More{Agent: name}, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := testYard(t, "OPENAI_API_KEY=sk-proj-0123456789012345678901234567890123456789").CheckMore(t.Context(), More{Agent: "codex"}, v)
	if err != nil || m.Agent != "codex" || m.Secrets["OPENAI_API_KEY"] == "" {
		t.Errorf("%+v, %v", m, err)
	}
}
