package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// costing is a report of what an agent's machine has cost.
func costing(usd float64) func(*facts.Used) {
	return func(u *facts.Used) { u.AddReport(0, "j", proto.Usage{CostUSD: usd}) }
}

// An agent that its ship interrupted while helm was away is told to go on, unless it is paused.
func TestGoesOnAfterHelmWasAway(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	s.report(time.Now(), proto.AgentState{State: proto.StateWaiting, Why: proto.Overspent})
	look := func() int {
		v.Pauses.Look(time.Now())
		n, _ := v.Post.Unread("ship-0")
		return n
	}
	is := func() fleet.Status {
		return resolve.Status(time.Now(), reads(v, func() resolve.Known { return s.known }))
	}
	v.Guards.MaxCost = 1
	s.Uses(time.Now(), costing(1))
	if n := look(); n != 0 {
		t.Errorf("with a spent budget %d messages tell it to go on", n)
	}
	v.Guards.MaxCost = 2
	for range 2 { // once is enough
		if n := look(); n != 1 || is().Need != "" {
			t.Errorf("%d messages tell it to go on, and it needs %q", n, is().Need)
		}
	}
}
