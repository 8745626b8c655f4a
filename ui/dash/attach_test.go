package dash

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/visit"
)

// After ctrl-q, ! goes on to the next ship that needs the captain and - to the ship before; the dashboard's other keys have their usual
// meaning.
func TestOnward(t *testing.T) {
	b := aBoard(t)
	b.Ships[2].Status = fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Reason: "permission to run: make", Since: noon, SeenAt: noon, Source: "agent"}
	s := setStage(t, 120, 40, b, nil, nil)
	went := func(keys string, from ...string) string {
		s.m.visits = visit.Visits{}
		for _, ship := range from {
			s.m.visits.Begin(ship)
		}
		s.m.visits.Return()
		s.m.returned(s.m.visits.Last(), []byte(keys), nil)
		if !s.m.visits.IsAsking() {
			return ""
		}
		return s.m.shipName()
	}
	if is := went("-", "ship-0"); is != "" || !s.m.told("attached to no other ship") {
		t.Errorf("at first - goes to %q", is)
	}
	if is := went("!", "ship-0"); is != "ship-2" {
		t.Errorf("! goes to %q", is)
	}
	if is := went("-", "ship-0", "ship-2"); is != "ship-0" {
		t.Errorf("- goes to %q", is)
	}
	if is := went("2", "ship-0"); is != "" || s.m.focus != screen.Tasks {
		t.Errorf("2 goes to %q, focus %d", is, s.m.focus)
	}
	s.m.visits = visit.Visits{}
	s.m.visits.Begin("ship-0")
	s.m.visits.Return()
	if s.press("-"); !s.m.visits.IsAsking() || s.m.shipName() != "ship-0" {
		t.Errorf("on the dashboard - goes to %q", s.m.shipName())
	}
}
