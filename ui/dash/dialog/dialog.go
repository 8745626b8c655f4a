// Package dialog holds the boxes that the dashboard shows above its panes: they ask, choose, take text, or show
// something, and get every key until they close.
package dialog

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Dialog is a box above the panes.
type Dialog interface {
	// Update handles a key, a paste or a wheel. The dialog closes when closed is true; cmd is then its result.
	Update(msg tea.Msg) (closed bool, cmd tea.Cmd)
	// View draws the whole box, no larger than the screen. cursor, when not nil, is the place where text is typed,
	// relative to the upper left corner of the box.
	View(width, height int) (rows []string, cursor *tea.Cursor)
	// Keys lists the keys of the dialog, in pairs of key and meaning.
	Keys() [][2]string
}

// esc is the pair with which the Keys of every dialog end.
var esc = [2]string{"esc", "close"}

// drawBox draws a dialog's border around its body.
func drawBox(title, foot string, body []string, width int) []string {
	return pane.Box{Title: clean.Line(title), Foot: foot, Focused: true}.Draw(body, width, len(body)+2)
}

// widest returns the width of a box that wants that many cells.
func widest(want, screen int) int { return max(10, min(want, screen-2)) }

// newInput returns an input line in the style of dialogs: with the terminal's own cursor and the theme's colours.
func newInput(placeholder string) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.Placeholder = placeholder
	in.CharLimit = 4096
	in.SetVirtualCursor(false)
	s := in.Styles()
	s.Focused = textinput.StyleState{Text: theme.Plain, Placeholder: theme.Dim, Suggestion: theme.Dim, Prompt: theme.Dim}
	s.Blurred = s.Focused
	in.SetStyles(s)
	return in
}

// newArea returns an input of several lines.
func newArea(placeholder string) textarea.Model {
	in := textarea.New()
	in.Prompt = ""
	in.Placeholder = placeholder
	in.ShowLineNumbers = false
	in.CharLimit = 20 << 10
	in.MaxHeight = 0
	in.SetVirtualCursor(false)
	s := in.Styles()
	plain := textarea.StyleState{
		Base: lipgloss.NewStyle(), Text: theme.Plain, CursorLine: theme.Plain, Placeholder: theme.Dim,
		Prompt: theme.Dim, EndOfBuffer: theme.Dim, LineNumber: theme.Dim, CursorLineNumber: theme.Dim,
	}
	s.Focused, s.Blurred = plain, plain
	in.SetStyles(s)
	return in
}

// shiftCursor returns a cursor moved by x and y cells.
func shiftCursor(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	c.X += x
	c.Y += y
	return c
}
