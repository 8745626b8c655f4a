package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Fade dims the rows of a screen behind a dialog: their text stays.
func Fade(rows []string) {
	for i := range rows {
		rows[i] = theme.Dim.Render(ansi.Strip(rows[i]))
	}
}

// Over draws the box of a dialog over the rows of a screen, and returns the cursor in it.
func Over(rows []string, d Dialog, width, height int) *tea.Cursor {
	box, cursor := d.View(width, height-2)
	if len(box) == 0 {
		return cursor
	}
	x, y := (width-ansi.StringWidth(box[0]))/2, max(1, (height-len(box))/3)
	pane.Overlay(rows, box, x, y)
	return shiftCursor(cursor, x, y)
}
