package serve

import (
	"context"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// An agent reports the end of a turn late, when the next turn may have begun. An interrupt waits for the end of the
// turn that it interrupts.
func TestInterruptWaitsForItsOwnTurn(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	aboardtest.PutClaude(t, dir, "")
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "the agent", func() bool { return w.Running().Agent.Alive() && strings.Contains(w.Screen(), "❯") })
	s, err := newServer(shipdir.Dir(dir), context.CancelCauseFunc(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.book.Close)
	var works time.Time
	before := time.Now().Add(-time.Second)
	tells := []time.Time{works, before, before, works, works} // after these, the agent reports that it is idle
	s.agent.Box = &agent.Box{Cancel: "Escape", Idle: func(string, int) time.Time {
		if len(tells) == 0 {
			return time.Now()
		}
		was := tells[0]
		tells = tells[1:]
		return was
	}}
	p, err := s.pauseAgent(t.Context(), struct{}{})
	if err != nil || p != (proto.Paused{Was: true}) || len(tells) > 0 {
		t.Errorf("the interrupt is %+v, %v; it did not wait for %d words", p, err, len(tells))
	}
}
