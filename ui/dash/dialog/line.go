package dialog

import (
	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"

	"ocaptain/fleet/clean"
)

// inputLine is an input line.
type inputLine struct{ textinput.Model }

func newLine(placeholder string) inputLine {
	in := newInput(placeholder)
	_ = in.Focus() // the returned command would blink a cursor that is not drawn
	return inputLine{in}
}

func (l *inputLine) update(msg tea.Msg) tea.Cmd {
	switch paste := msg.(type) {
	case tea.KeyPressMsg:
	case tea.PasteMsg:
		paste.Content = clean.Line(paste.Content)
		msg = paste
	default:
		return nil
	}
	var cmd tea.Cmd
	l.Model, cmd = l.Model.Update(msg)
	return cmd
}

func (l *inputLine) visible(width int) string {
	l.SetWidth(max(1, width-1))
	return l.View()
}

func (l *inputLine) cursor() *tea.Cursor { return l.Cursor() }

// Line is an input line without a box, as for the filter in the footer.
type Line struct{ inputLine }

// NewLine returns a line with a text.
func NewLine(text, placeholder string) *Line {
	l := &Line{newLine(placeholder)}
	l.SetValue(text)
	l.CursorEnd()
	return l
}

// Update handles a key or a paste.
func (l *Line) Update(msg tea.Msg) tea.Cmd { return l.update(msg) }

// Draw returns the line in that width, and its cursor.
func (l *Line) Draw(width int) (string, *tea.Cursor) { return l.visible(width), l.cursor() }
