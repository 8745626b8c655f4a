package pane

import (
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// most is how many bytes of a text are looked at for one line of the screen.
const most = 1 << 10

// Line makes the beginning of a text of others harmless.
func Line(s string) string {
	if len(s) > most {
		s = s[:most]
	}
	return clean.Line(s)
}

// Notice is what a pane shows in place of its rows: what is the matter, why, and what to do.
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

// ErrorText is an error on one line.
func ErrorText(err error) string { return Line(err.Error()) }
