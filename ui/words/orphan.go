package words

import (
	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/machines"
)

// Orphan says why a machine that no voyage has is told of, and what helm is at with it.
func Orphan(o machines.Orphan) string {
	text := clean.Line(o.Why)
	if o.Unwanted {
		text += "; being destroyed, and " + fleet.UntilGone
		if o.Trouble != "" {
			text += ": " + clean.Line(o.Trouble)
		}
	}
	return text
}
