package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/toast"
)

// prompt is the filter while it is typed. What it finds is shown at once.
type prompt struct {
	pane focus
	was  string // to go back to
	line *dialog.Line
	err  string
}

// askFilter asks for a pattern for the focused pane.
func (m *Model) askFilter() cmd {
	if m.focus == ship {
		return m.say(toast.Warn, "the live view has no filter; the logs have one: 3 /")
	}
	was := m.filter(m.focus)
	m.prompt = &prompt{pane: m.focus, was: was, line: dialog.NewLine(was, "")}
	return nil
}

// toPrompt takes a key or a paste.
func (m *Model) toPrompt(msg tea.Msg) cmd {
	p := m.prompt
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "esc":
			_ = m.setFilter(p.pane, p.was)
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
	if err := m.setFilter(p.pane, p.line.Value()); err != nil {
		p.err = clean.Line(err.Error())
	}
	return c
}

// draw returns the footer while a filter is typed.
func (p *prompt) draw(width, y int) (string, *tea.Cursor) {
	name := [...]string{"agents", "tasks", "logs"}[p.pane]
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

// filter is the pattern of a pane.
func (m *Model) filter(f focus) string {
	switch f {
	case agents:
		return m.v.agents.Filter()
	case taskList:
		return m.v.tasks.Grep()
	}
	return m.v.logs.Pattern()
}

// setFilter changes the pattern of a pane.
func (m *Model) setFilter(f focus, pattern string) error {
	switch f {
	case agents:
		m.v.agents.SetFilter(pattern)
		return nil
	case taskList:
		return m.v.tasks.SetGrep(pattern)
	}
	return m.v.logs.SetGrep(pattern)
}

// clearFilter takes away what hides rows of the focused pane, and reports whether anything did.
func (m *Model) clearFilter() bool {
	switch m.focus {
	case agents:
		had := m.v.agents.Filter() != ""
		m.v.agents.SetFilter("")
		return had
	case taskList:
		if m.v.tasks.ShowsBlockers() {
			m.v.tasks.HideBlockers()
			return true
		}
		had := m.v.tasks.Grep() != "" || m.v.tasks.IsReadyOnly() || m.v.tasks.IsHideCompleted()
		m.v.tasks.ClearFilters()
		return had
	case logs:
		had := m.v.logs.Filtered()
		m.v.logs.ClearFilters()
		return had
	}
	return false
}
