package dash

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/selection"
)

// prompt is the filter while the captain types it. Its hits are shown at once.
type prompt struct {
	pane list
	was  string // the filter to go back to
	line *dialog.Line
	err  string
}

// noFilter says why the focused pane has no filter, "" when it has one.
func (m *Model) noFilter() string {
	if m.v == nil {
		return selection.NoneYet
	}
	if m.list(m.focus) == nil {
		return "the live view has no filter; the logs have one: 3 /"
	}
	return ""
}

// askFilter asks for a pattern for the focused pane.
func (m *Model) askFilter() cmd {
	l := m.list(m.focus)
	m.prompt = &prompt{pane: l, was: l.Filter(), line: dialog.NewLine(l.Filter(), "")}
	return nil
}

// toPrompt handles a key or a paste.
func (m *Model) toPrompt(msg tea.Msg) cmd {
	p := m.prompt
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "esc":
			_ = p.pane.SetFilter(p.was)
			m.prompt = nil
			return nil
		case "enter":
			if p.err == "" {
				m.prompt = nil
			}
			return nil
		}
	}
	c := p.line.Update(msg)
	p.err = ""
	if err := p.pane.SetFilter(p.line.Value()); err != nil {
		p.err = clean.Line(err.Error())
	}
	return c
}

// draw returns the footer while the captain types a filter.
func (p *prompt) draw(width, y int) (string, *tea.Cursor) {
	name := strings.ToLower(p.pane.Name())
	head := " " + theme.Key.Render("/") + theme.Dim.Render(name+" ")
	tail := theme.Dim.Render("enter keeps · esc undoes · !pattern for all else ")
	if p.err != "" {
		tail = theme.Bad.Render(theme.No.Glyph+" "+p.err) + " "
	}
	room := max(10, width-len(name)-3-pane.Width(tail))
	line, cursor := p.line.Draw(room)
	if cursor != nil {
		cursor.X += len(name) + 3
		cursor.Y = y
	}
	return pane.Fit(head+pane.Fit(line, room)+tail, width), cursor
}

// clearFilter shows all rows of the focused pane, and reports whether any may have been hidden.
func (m *Model) clearFilter() bool {
	l := m.list(m.focus)
	return l != nil && l.ClearFilters()
}
