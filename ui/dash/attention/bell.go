package attention

import (
	"strings"

	"ocaptain/fleet/clean"
)

// Bell returns the bytes that ring the bell of a terminal and make it notify the captain. There are several ways to
// notify: a known terminal gets its own, so that it does not notify twice, and an unknown terminal gets all three and ignores
// the sequences that it does not know. env describes the terminal.
func Bell(text string, env func(string) string) string {
	text = strings.ReplaceAll(clean.Line(text), ";", ",")
	plain, named, kitty := "\x1b]9;ocaptain: "+text+"\x1b\\", "\x1b]777;notify;ocaptain;"+text+"\x1b\\", "\x1b]99;;ocaptain: "+text+"\x1b\\"
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case strings.Contains(term, "kitty"), strings.HasPrefix(term, "foot"):
		return "\a" + kitty
	case strings.Contains(term, "ghostty"), program == "ghostty", program == "WezTerm", program == "iTerm.app":
		return "\a" + plain
	case strings.HasPrefix(term, "rxvt"):
		return "\a" + named
	}
	return "\a" + plain + named + kitty
}
