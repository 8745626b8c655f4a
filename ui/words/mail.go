package words

import (
	"ocaptain/fleet"
	"ocaptain/ui/clean"
)

// Queued says how many messages wait for a ship's agent, and why; "" for none.
func Queued(s *fleet.ShipView) string {
	if s.Queued == 0 {
		return ""
	}
	verb := " waits: "
	if s.Queued > 1 {
		verb = " wait: "
	}
	return Count(s.Queued, "message") + verb + clean.Line(s.QueuedWhy)
}
