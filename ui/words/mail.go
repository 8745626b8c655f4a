package words

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
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
	return Counted(s.Queued, "message") + verb + s.QueuedWhy
}

// MessageOutcome says what became of a message. well reports whether the agent has submitted it.
func MessageOutcome(s api.Said) (text string, well bool) {
	switch {
	case s.Queued != "":
		return "queued: " + s.Queued, false
	case s.Submitted && s.Altered:
		return "submitted; its prompt cannot hold tabs or invisible characters, so it was told the exact text beside it", true
	case s.Submitted:
		return "submitted", true
	}
	return "typed; the agent has not told what it made of it: attach to see", false
}
