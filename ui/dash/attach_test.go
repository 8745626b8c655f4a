package dash

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/ui/dash/screen"
)

func TestNextShip(t *testing.T) {
	needs := []need.Need{{Ships: []string{"a"}}, {Task: "7"}, {Ships: []string{"b", "a"}}, {Ships: []string{"c"}}}
	for from, want := range map[string]string{"a": "b", "b": "c", "c": "a", "d": "a"} {
		if is := nextShip(needs, from); is != want {
			t.Errorf("after %s comes %q", from, is)
		}
	}
	if is := nextShip(needs[:2], "a"); is != "" {
		t.Errorf("after the only one comes %q", is)
	}
}

// After ctrl-q, ! goes on to the next ship that needs the captain and - to the ship before; the dashboard's other keys have their usual
// meaning.
func TestOnward(t *testing.T) {
	b := aBoard(t)
	b.Ships[2].Status = fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Reason: "permission to run: make", Since: noon, SeenAt: noon, Source: "agent"}
	s := setStage(t, 120, 40, b, nil, nil)
	went := func(from, keys string) string {
		s.m.visits.asked = 0
		s.m.visits.begin(from)
		s.m.returned(from, []byte(keys), nil)
		if s.m.visits.asked == 0 {
			return ""
		}
		return s.m.shipName()
	}
	if is := went("ship-0", "-"); is != "" || !s.m.told("attached to no other ship") {
		t.Errorf("at first - goes to %q", is)
	}
	if is := went("ship-0", "!"); is != "ship-2" {
		t.Errorf("! goes to %q", is)
	}
	if is := went("ship-2", "-"); is != "ship-0" {
		t.Errorf("- goes to %q", is)
	}
	if is := went("ship-0", "2"); is != "" || s.m.focus != screen.Tasks {
		t.Errorf("2 goes to %q, focus %d", is, s.m.focus)
	}
	s.m.visits.asked = 0
	if s.press("-"); s.m.visits.asked == 0 || s.m.shipName() != "ship-0" {
		t.Errorf("on the dashboard - goes to %q", s.m.shipName())
	}
}
