package pane

import (
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// most is how many bytes of a text are used for one line of the screen.
const most = 1 << 10

// Line returns the beginning of somebody else's text in one harmless line.
func Line(s string) string {
	if len(s) > most {
		s = s[:most]
	}
	return clean.Line(s)
}

// Notice returns rows in place of a pane's own: what the matter is, why, and what to do.
func Notice(width, height int, what, why, act string) []string {
	rows := []string{""}
	if height < 3 {
		rows = nil
	}
	for n, text := range []string{what, why, act} {
		if text == "" {
			continue
		}
		if n > 0 {
			text = theme.Dim.Render(text)
		}
		for _, part := range words.Wrap(text, width-4) {
			rows = append(rows, "  "+part)
		}
	}
	return FitRows(rows, width, height)
}

// ErrorText returns an error in one line.
func ErrorText(err error) string { return Line(err.Error()) }
