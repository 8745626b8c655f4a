package words

import (
	"fmt"

	"ocaptain/fleet"
)

// Losses says what would be lost with a ship, "" when nothing would be.
func Losses(s *fleet.ShipView) string {
	switch {
	case s.Changed > 0:
		text := fmt.Sprintf("%s has %s that are not merged", s.Name, Count(s.Changed, "file"))
		if s.Changed == 1 {
			text = s.Name + " has 1 file that is not merged"
		}
		if s.Task != "" {
			text += ", for task " + s.Task
		}
		return text
	case s.Status.Word == fleet.Unreachable:
		return s.Name + " cannot be reached, so what it holds is not known"
	}
	return ""
}
