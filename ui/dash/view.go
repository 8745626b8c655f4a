package dash

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/firstpage"
	"ocaptain/ui/dash/frame"
	"ocaptain/ui/dash/header"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/screen"
)

// View draws the screen. A key to a ship changes nothing here, so a terminal's keys cost no drawing.
func (m *Model) View() tea.View { return m.last.View(m.drawView) }

func (m *Model) drawView() tea.View {
	rows, cursor := m.draw()
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.Cursor = cursor
	// This also finds ctrl-q in its place on a keyboard of another script.
	v.KeyboardEnhancements.ReportAlternateKeys = m.typing != ""
	if m.ground != "" && m.ground != m.look { // the captain chose the other ground
		v.ForegroundColor, v.BackgroundColor = theme.Ground(m.look)
	}
	v.WindowTitle = "ocaptain"
	if m.v != nil && m.v.Loaded {
		v.WindowTitle = "ocaptain: " + clean.Line(m.title())
	}
	return v
}

// draw returns the rows of the screen and the cursor.
func (m *Model) draw() ([]string, *tea.Cursor) {
	if m.width == 0 || m.height == 0 || m.early { // to draw panes without a board would take the time in which it is read
		return make([]string, m.height), nil
	}
	if m.layout().TooSmall() {
		return pane.Message(m.width, m.height, pane.Failed, "too small",
			fmt.Sprintf("needs %d columns and %d rows, has %d and %d", screen.LeastWidth, screen.LeastHeight, m.width, m.height)), nil
	}
	rest := m.last.Rest(m.drawRest)
	rows := slices.Clone(rest.Top)
	var cursor *tea.Cursor
	switch p := m.page; {
	case p != nil:
		rows = append(rows, screen.DrawPage(p, m.layout().Body())...)
	case m.place == onWall:
		rows = append(rows, m.tiles().View(m.v.Views, m.now)...)
	default:
		var body []string
		body, cursor = m.drawPanes()
		rows = append(rows, body...)
	}
	rows = append(rows, rest.Foot)
	if rest.Cursor != nil {
		cursor = rest.Cursor
	}
	if len(m.dialogs) > 0 {
		dialog.Fade(rows)
		m.toasts.Draw(rows, m.width) // first, as the dialog above them is read and answered
		return rows, dialog.Over(rows, m.dialogs[len(m.dialogs)-1], m.width, m.height)
	}
	m.toasts.Draw(rows, m.width)
	return rows, cursor
}

// drawRest draws header, needs and footer.
func (m *Model) drawRest() *frame.Rest {
	r := &frame.Rest{Top: []string{m.header().View(m.width)}}
	if n := m.stripRows(); n > 0 {
		r.Top = append(r.Top, attention.Strip(m.v.Needs.All, m.now, m.width, n)...)
	}
	r.Foot, r.Cursor = m.footer()
	return r
}

// header returns what the first row shows.
func (m *Model) header() *header.Header {
	h := &header.Header{Now: m.now, Helm: m.known}
	if m.v != nil {
		h.ID = m.v.Dir.ID()
		h.Stale = m.v.IsStale(m.now)
		if m.v.Loaded {
			h.Board, h.Needs, h.Told = m.v.Board, m.v.Needs, m.stripRows() > 0
		}
	}
	return h
}

// title returns the title of the voyage.
func (m *Model) title() string { return header.Title(&m.v.Board.Voyage, m.v.Dir.ID()) }

// drawPanes draws the panes of the layout side by side.
func (m *Model) drawPanes() ([]string, *tea.Cursor) {
	l := m.layout()
	b := l.Body()
	if m.v == nil {
		return firstpage.Draw(m.verdict, b.W, b.H), nil
	}
	var cursor *tea.Cursor
	m.v.Agents.SetNow(m.now, m.v.IsStale(m.now))
	m.v.Tasks.SetNow(m.now)
	drawn := map[screen.Pane][]string{}
	places := l.Places()
	for f, r := range places {
		body, at := m.drawPane(f, r)
		drawn[f] = body
		if at != nil {
			at.X, at.Y = at.X+r.X+1, at.Y+r.Y+1
			cursor = at
		}
	}
	rows := places.Join(drawn, b)
	if l.HasTabs() {
		rows[0] = screen.DrawTabs(m.paneName, m.focus, m.width)
	}
	return rows, cursor
}

// drawPane draws one pane in its box.
func (m *Model) drawPane(f screen.Pane, r pane.Rect) ([]string, *tea.Cursor) {
	focused := m.focus == f && len(m.dialogs) == 0
	l := m.list(f)
	if l == nil {
		return m.drawShip(r, pane.Box{Focused: focused}, screen.Label(f))
	}
	return m.last.List(f, func() []string {
		foot := ""
		if f == screen.Logs && m.place == full {
			foot = m.v.Logs.Legend()
		}
		return screen.DrawList(l, screen.Label(f), foot, focused, r)
	}), nil
}

// drawShip draws the live view of the selected ship.
func (m *Model) drawShip(r pane.Rect, box pane.Box, number string) ([]string, *tea.Cursor) {
	w, h := pane.InnerSize(r.W, r.H)
	name := m.watched()
	if name == "" {
		box.Title = number + "Ship"
		return box.Draw(pane.Message(w, h, pane.Empty, m.selection().NoShip()), r.W, r.H), nil
	}
	p := m.v.Views.PaneOf(name)
	p.SetNow(m.now)
	box.Title, box.Info = number+p.Title(), p.Info()
	body := p.View(w, h)
	var cursor *tea.Cursor
	if m.typing != "" {
		box.Title, box.Focused = "● LIVE "+p.Title(), true
		cursor, _ = p.Cursor()
	}
	return box.Draw(body, r.W, r.H), cursor
}

// paneName returns what a pane is called in the row of tabs.
func (m *Model) paneName(f screen.Pane) string {
	if l := m.list(f); l != nil {
		return l.Name()
	}
	return "Ship"
}
