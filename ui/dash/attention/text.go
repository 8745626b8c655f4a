package attention

import (
	"strings"
	"time"

	"ocaptain/fleet/need"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// Text returns a need in one line, clean to show.
func Text(n *need.Need) string { return clean.Line(n.String()) }

// Head says who needs the captain, and for what.
func Head(n *need.Need) string { return clean.Line(n.Who() + " " + n.Says()) }

// Why returns the reason of a need.
func Why(n *need.Need) string { return clean.Line(n.Why) }

// Lines returns the whole text of a need, in rows of that width.
func Lines(n *need.Need, now time.Time, width int) []string {
	rows := words.Wrap(theme.Needs.Render("▲ "+Head(n)), width)
	rows = append(rows, words.Wrap(theme.Plain.Render(Why(n)), width)...)
	fact := func(name, value string) {
		if value != "" {
			rows = append(rows, words.Wrap(theme.Dim.Render(name+" ")+theme.Plain.Render(clean.Line(value)), width)...)
		}
	}
	rows = append(rows, "")
	if len(n.Ships) > 1 {
		fact("ships", strings.Join(n.Ships, ", "))
	}
	fact("tasks", strings.Join(n.Tasks, ", "))
	fact("what waits for it", strings.Join(n.Waiting, ", "))
	if !n.Since.IsZero() {
		fact("since", n.Since.Local().Format("Jan 2 15:04")+", "+words.Since(now, n.Since))
	}
	fact("what helps:", string(n.Do))
	return append(rows, words.Wrap(theme.Key.Render(clean.Line(n.Command)), width)...)
}
