package words

import (
	"strings"

	"ocaptain/fleet"
)

// Slowed says what a ship sends too much of; "" for nothing.
func Slowed(s *fleet.ShipView) string {
	if len(s.Slowed) == 0 {
		return ""
	}
	return "too much of its " + strings.Join(s.Slowed, " and ") + ": taken in slowly, or refused"
}
