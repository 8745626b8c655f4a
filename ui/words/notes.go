package words

import (
	"strings"

	"ocaptain/fleet"
)

// Notes writes notes on one line.
func Notes(all []fleet.Note) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = strings.TrimPrefix(n.Ship+": "+n.Text, ": ")
	}
	return strings.Join(texts, "; ")
}
