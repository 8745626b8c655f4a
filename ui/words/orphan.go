package words

import (
	"ocaptain/fleet"
	"ocaptain/ui/clean"
)

// Orphan says why a machine that no voyage has is told of, and what helm is at with it: trouble is what keeps
// it from destroying the machine.
func Orphan(why string, doomed bool, trouble string) string {
	text := clean.Line(why)
	if doomed {
		text += "; being destroyed, and " + fleet.UntilGone
		if trouble != "" {
			text += ": " + clean.Line(trouble)
		}
	}
	return text
}
