package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textarea"
)

// Compose is a dialog that takes a text of several lines.
type Compose struct {
	title string
	area  textarea.Model
	rows  int // largest number of rows for the text
	send  func(text string) tea.Cmd
	kept  func(text string) // is called with a text that is not sent
}

// newEdit lets the captain change a text under the title, and sends it.
func newEdit(title, text string, send func(text string) tea.Cmd) *Compose {
	c := newCompose(title, "", send)
	c.area.MaxHeight = 0 // any number of lines
	c.area.SetValue(text)
	c.area.MoveToBegin()
	c.rows = 30
	return c
}

// newCompose asks for a text under the title and sends it.
func newCompose(title, placeholder string, send func(text string) tea.Cmd) *Compose {
	c := &Compose{title: title, area: newArea(placeholder), rows: 10, send: send}
	_ = c.area.Focus()
	return c
}

// keep starts with a draft, and calls kept with the text when the captain leaves without sending it.
func (c *Compose) keep(draft string, kept func(text string)) {
	if c.kept = kept; draft != "" {
		c.title += " · your draft"
		c.area.SetValue(draft)
	}
}

// Update edits the text; ctrl-s sends it.
func (c *Compose) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc":
			c.kept(c.area.Value())
			return true, nil
		case "ctrl+s", "ctrl+enter":
			if strings.TrimSpace(c.area.Value()) == "" {
				return false, nil
			}
			return true, c.send(c.area.Value())
		}
	case tea.PasteMsg:
	default:
		return false, nil
	}
	var cmd tea.Cmd
	c.area, cmd = c.area.Update(msg)
	return false, cmd
}

// View draws the text.
func (c *Compose) View(width, height int) ([]string, *tea.Cursor) {
	w := widest(84, width)
	h := max(1, min(c.rows, height-6))
	c.area.SetWidth(w - 4)
	c.area.SetHeight(h)
	var body []string
	for _, row := range strings.Split(c.area.View(), "\n") {
		body = append(body, " "+row)
	}
	return drawBox(c.title, "ctrl-s sends", body, w), shiftCursor(c.area.Cursor(), 2, 1)
}

// Keys lists the keys of the dialog.
func (c *Compose) Keys() [][2]string {
	return [][2]string{{"ctrl-s", "send"}, {"enter", "new line"}, {"esc", "keep for later"}}
}
