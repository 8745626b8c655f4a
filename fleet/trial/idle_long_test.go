//go:build long

package trial

import (
	"testing"
	"time"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/proto"
)

// TestIdle leaves a resting agent alone in a terminal without a viewer. Versions 2.1.329 and 2.1.332 of Claude Code, without our
// settings, ask their service after three minutes for a recap that no one reads.
func TestIdle(t *testing.T) {
	l, err := newLife("/tmp", Order{Agent: "claude", Program: claudetest.Binary(t)}, map[string]string{"ANTHROPIC_API_KEY": key}, script, job("2", "echo two"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !l.ends(t.Context(), proto.StateIdle) {
		t.Fatal(l.screen(t.Context()))
	}
	l.helm.Change(func() { l.rests = true })
	if !l.ends(t.Context(), proto.StateResting) {
		t.Fatal(l.screen(t.Context()))
	}
	asked := len(l.api.Log())
	time.Sleep(4*time.Minute + 15*time.Second) // no event says that a request was not made
	if now := l.api.Log(); len(now) > asked || len(l.unasked()) > 0 {
		t.Errorf("it asked %d times more: %q", len(now)-asked, l.unasked())
	}
}
