package words

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/sync"
)

func TestLosses(t *testing.T) {
	s := &fleet.ShipView{Ship: fleet.Ship{Name: "ship-0"}, Unmerged: fleet.Unmerged{Sides: []sync.Side{{Branch: "x", Commits: 2}}, Stashed: 1}}
	if got := Losses(s); got != "ship-0 has 2 commits on branch x and 1 stash that are not merged" {
		t.Error(got)
	}
	if got := Unmerged(s.Unmerged); got != "2 commits, 1 stashed" {
		t.Error(got)
	}
	if got := Unmerged(fleet.Unmerged{Changed: 1}) + Losses(&fleet.ShipView{}); got != "1 file" {
		t.Error(got)
	}
}
