package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/wake"
)

// TestMessages sends to ships that cannot be reached: who takes messages gets them later.
func TestMessages(t *testing.T) {
	t.Parallel()
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{
		{Name: "ship-0", Phase: fleet.Planned, Provider: "local", Agent: "claude"},
		{Name: "ship-1", Phase: fleet.Planned, Provider: "local", Agent: "script"},
		{Name: "ship-2", Phase: fleet.Failed, Provider: "local", Agent: "claude"},
	}}
	d := fleet.Dir(t.TempDir())
	v := &Voyage{Core: &core.Core{Dir: d, Post: post.New(d), Roster: roster.New(roster.Options{}, f, fleet.Recorder{}), Paint: wake.New()}, memory: memory{ships: map[string]*Ship{}}}
	for ship, want := range map[string]string{"ship-1": "does not take messages", "ship-2": "is failed", "ship-9": "has no ship-9"} {
		if _, err := v.Send(t.Context(), ship, api.SayRequest{Text: "hello"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ship, err, want)
		}
	}
	if said, err := v.Send(t.Context(), "ship-0", api.SayRequest{Text: "hello"}); err != nil || said.Submitted || said.Queued != "ship-0 is not ready yet" {
		t.Errorf("said %+v, %v", said, err)
	}
}
