package words

import "ocaptain/ui/clean"

// Orphan says why a machine that no voyage has is told of, and what helm is at with it: trouble is what keeps
// it from destroying the machine.
func Orphan(why string, doomed bool, trouble string) string {
	text := clean.Line(why)
	if doomed {
		text += "; being destroyed, and helm goes on until it is gone"
		if trouble != "" {
			text += ": " + clean.Line(trouble)
		}
	}
	return text
}
