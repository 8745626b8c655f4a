package words

import "ocaptain/ui/clean"

// Orphan says why nobody looks after a machine, and what else matters: that only this install's
// own record tells of it, and that helm is at destroying it.
func Orphan(why string, seen, doomed bool) string {
	text := clean.Line(why)
	if !seen {
		text += "; it was asked for, and may be gone"
	}
	if doomed {
		text += "; being destroyed, and helm goes on until it is gone"
	}
	return text
}
