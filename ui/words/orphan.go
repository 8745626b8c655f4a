package words

import (
	"ocaptain/fleet"
	"ocaptain/fleet/machines"
)

// Orphan says why a machine without a voyage is listed, and what helm does about it.
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
