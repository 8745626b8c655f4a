package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"charm.land/bubbles/v2/textarea"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
)

// Area is an input of several lines without a box, for forms.
type Area struct{ area textarea.Model }

// NewArea returns an empty area that takes up to most characters.
func NewArea(placeholder string, most int) *Area {
	a := &Area{newArea(placeholder)}
	a.area.CharLimit = most
	_ = a.area.Focus() // the returned command would blink a cursor that is not drawn
	return a
}

// Value returns the text.
func (a *Area) Value() string { return a.area.Value() }

// Update handles a key or a paste.
func (a *Area) Update(msg tea.Msg) (cmd tea.Cmd) {
	a.area, cmd = a.area.Update(msg)
	return cmd
}

// Draw returns the rows in that size, and the cursor.
func (a *Area) Draw(width, height int) ([]string, *tea.Cursor) {
	a.area.SetWidth(max(1, width))
	a.area.SetHeight(max(1, height))
	rows := strings.Split(a.area.View(), "\n")
	if a.Value() != "" {
		for i, row := range rows { // pasted text may contain marks that change the direction of text
			rows[i] = theme.Plain.Render(clean.Line(ansi.Strip(row)))
		}
	}
	return rows, a.area.Cursor()
}
