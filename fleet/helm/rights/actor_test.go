package rights

import (
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestMayChange repeats the whole table: the changes that each actor may make.
func TestMayChange(t *testing.T) {
	want := map[Actor]string{
		Captain:         "add, edit, cancel, begin, approve, requeue, reopen, repair",
		fleet.Worker:    "add, begin, hand in, requeue, complete",
		fleet.Planner:   "add, begin, hand in, requeue, complete",
		fleet.Validator: "begin, approve, requeue",
		Given:           "begin, requeue, complete",
		Coordinator:     "begin, requeue, complete",
		Journal:         "requeue",
		Provider:        "requeue",
		Clock:           "add, edit, reserve, check, requeue, complete, reopen, record",
		"admiral":       "",
	}
	for _, by := range append(Actors, "admiral") {
		var may []string
		for _, c := range Changes {
			if MayChange(by, c) {
				may = append(may, string(c))
			}
		}
		if got := strings.Join(may, ", "); got != want[by] {
			t.Errorf("a %s may %s, want %s", by, got, want[by])
		}
	}
}

// No ship may make the changes that are only the captain's or helm's own.
func TestShipsAreNoCaptains(t *testing.T) {
	for _, role := range Roles {
		for _, c := range []Change{Edit, Cancel, Reserve, Check, Reopen, Recorded} {
			if MayChange(Actor(role), c) {
				t.Errorf("a %s may %s", role, c)
			}
		}
	}
	for _, by := range []Actor{fleet.Worker, fleet.Planner, Given, Coordinator, Journal, Provider, Clock} {
		if MayChange(by, Approve) {
			t.Errorf("a %s may approve work", by)
		}
	}
}
