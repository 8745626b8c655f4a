package words

import (
	"strings"

	"ocaptain/fleet"
)

// Slowed says what of a ship grows too fast and is taken in slowly; "" for nothing.
func Slowed(s *fleet.ShipView) string {
	if len(s.Slowed) == 0 {
		return ""
	}
	return strings.Join(s.Slowed, " and ") + " taken in slowly: grows too fast"
}
