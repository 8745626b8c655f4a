package voyage

import (
	"slices"

	"ocaptain/fleet"
)

func viewOf(b fleet.Board, ship string) fleet.ShipView {
	return b.Ships[slices.IndexFunc(b.Ships, func(s fleet.ShipView) bool { return s.Name == ship })]
}
