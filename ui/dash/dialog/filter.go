package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Filtered is a pane with a filter.
type Filtered interface {
	Name() string                   // what the pane lists
	Filter() string                 // the pattern as it was set
	SetFilter(pattern string) error // the error says what is wrong with the pattern
}

// Filter is the line in which the captain types a pane's filter. The pane shows the matches at once.
type Filter struct {
	pane Filtered
	was  string // the filter before
	line *Line
	err  string
}

// NewFilter asks for a pattern for a pane.
func NewFilter(pane Filtered) *Filter {
	return &Filter{pane: pane, was: pane.Filter(), line: NewLine(pane.Filter(), "")}
}

// Update handles a key or a paste. The line closes when closed is true: Enter keeps a pattern that is well formed, Esc undoes it.
func (f *Filter) Update(msg tea.Msg) (closed bool, c tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "esc":
			_ = f.pane.SetFilter(f.was)
			return true, nil
		case "enter":
			return f.err == "", nil
		}
	}
	c = f.line.Update(msg)
	f.err = ""
	if err := f.pane.SetFilter(f.line.Value()); err != nil {
		f.err = clean.Line(err.Error())
	}
	return false, c
}

// View draws the line in row y of the screen.
func (f *Filter) View(width, y int) (string, *tea.Cursor) {
	name := strings.ToLower(f.pane.Name())
	head := " " + theme.Key.Render("/") + theme.Dim.Render(name+" ")
	tail := theme.Dim.Render("enter keeps · esc undoes · !pattern for all else ")
	if f.err != "" {
		tail = theme.Bad.Render(theme.No.Glyph+" "+f.err) + " "
	}
	room := max(10, width-len(name)-3-pane.Width(tail))
	line, cursor := f.line.Draw(room)
	if cursor != nil {
		cursor.X += len(name) + 3
		cursor.Y = y
	}
	return pane.Fit(head+pane.Fit(line, room)+tail, width), cursor
}
