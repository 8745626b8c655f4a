package words

import (
	"ocaptain/fleet"
	"ocaptain/fleet/machines"
)

// Orphan says why a machine that no voyage has is told of, and what helm is at with it.
func Orphan(o machines.Orphan) string {
	text := o.Why
	if o.Unwanted {
		text += "; being destroyed, and " + fleet.UntilGone
		if o.Trouble != "" {
			text += ": " + o.Trouble
		}
	}
	return text
}
