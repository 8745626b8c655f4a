package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// What ships may cost while helm is away is what is left of the budget, in equal parts, on top of what they are known to have cost.
func TestAllowance(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	one, _ := fakeShip(t, v, "ship-0")
	other, _ := fakeShip(t, v, "ship-1")
	of := func(s *Ship) proto.Allowance { return reads(v, s.allowance) }
	if got := of(one); got != (proto.Allowance{}) {
		t.Errorf("without a budget: %+v", got)
	}
	changes(v, func() {
		v.guards.MaxCost, v.guards.StopAtMaxCost = 10, true
		one.usage().AddReport(0, "j", proto.Usage{CostUSD: 3})
	})
	if a, b := of(one), of(other); a != (proto.Allowance{Bounded: true, USD: 6.5, Stop: true}) || b != (proto.Allowance{Bounded: true, USD: 3.5, Stop: true}) {
		t.Errorf("of $7 they may have %+v and %+v", a, b)
	}
	changes(v, func() {
		one.known.Ship.Built = 1 // another machine, which counts from 0
		other.usage().AddReport(0, "k", proto.Usage{CostUSD: 8})
	})
	if a, b := of(one), of(other); a.USD != 0 || b.USD != 8 {
		t.Errorf("of a spent budget they may have %+v and %+v", a, b)
	}
}

// An agent that its ship interrupted while helm was away is told to go on, unless it is paused.
func TestGoesOnAfterHelmWasAway(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	s.report(time.Now(), proto.AgentState{State: proto.StateWaiting, Why: proto.Overspent})
	look := func() int {
		v.endPauses(time.Now())
		n, _ := v.post.Unread("ship-0")
		return n
	}
	is := func() fleet.Status {
		return resolve.Status(time.Now(), reads(v, func() resolve.Known { return s.known }))
	}
	changes(v, func() {
		v.guards.MaxCost = 1
		s.usage().AddReport(0, "j", proto.Usage{CostUSD: 1})
	})
	if n := look(); n != 0 {
		t.Errorf("with a spent budget %d messages tell it to go on", n)
	}
	changes(v, func() { v.guards.MaxCost = 2 })
	for range 2 { // once is enough
		if n := look(); n != 1 || is().Need != "" {
			t.Errorf("%d messages tell it to go on, and it needs %q", n, is().Need)
		}
	}
}
