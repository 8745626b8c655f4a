package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"charm.land/bubbles/v2/textarea"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
)

// Area is several lines of input without a box, as a form has them.
type Area struct{ area textarea.Model }

// NewArea returns an empty area that takes text of that many characters.
func NewArea(placeholder string, most int) *Area {
	a := &Area{newArea(placeholder)}
	a.area.CharLimit = most
	_ = a.area.Focus() // its command only makes a cursor blink that is not drawn
	return a
}

// Value is the text.
func (a *Area) Value() string { return a.area.Value() }

// Update takes a key or a paste.
func (a *Area) Update(msg tea.Msg) (cmd tea.Cmd) {
	a.area, cmd = a.area.Update(msg)
	return cmd
}

// Draw returns the rows in that size, and where the cursor is.
func (a *Area) Draw(width, height int) ([]string, *tea.Cursor) {
	a.area.SetWidth(max(1, width))
	a.area.SetHeight(max(1, height))
	rows := strings.Split(a.area.View(), "\n")
	if a.Value() != "" {
		for i, row := range rows { // what was pasted may have marks that change the direction of text
			rows[i] = theme.Plain.Render(clean.Line(ansi.Strip(row)))
		}
	}
	return rows, a.area.Cursor()
}
