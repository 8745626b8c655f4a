package dash

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/firstpage"
	"ocaptain/ui/dash/header"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/screen"
)

// frame is the last drawn screen.
type frame struct {
	view   tea.View
	stands bool // the last message changed nothing on the screen: it was a key to a ship, whose effect comes as news
}

// View draws the screen. A key to a ship changes nothing here, so a terminal's keys cost no drawing.
func (m *Model) View() tea.View {
	if !m.last.stands {
		m.last.view = m.drawView()
	}
	return m.last.view
}

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
	if m.width == 0 || m.height == 0 {
		return nil, nil
	}
	if m.layout().TooSmall() {
		return pane.Message(m.width, m.height, pane.Failed, "too small",
			fmt.Sprintf("needs %d columns and %d rows, has %d and %d", screen.LeastWidth, screen.LeastHeight, m.width, m.height)), nil
	}
	rows := []string{m.header().View(m.width)}
	if n := m.stripRows(); n > 0 {
		rows = append(rows, attention.Strip(m.v.Needs.All, m.now, m.width, n)...)
	}
	var cursor *tea.Cursor
	switch p := m.page; {
	case p != nil:
		rows = append(rows, m.boxed(p)...)
	case m.place == onWall:
		rows = append(rows, m.tiles().View(m.v.Views, m.now)...)
	default:
		var body []string
		body, cursor = m.drawPanes()
		rows = append(rows, body...)
	}
	foot, at := m.footer()
	rows = append(rows, foot)
	if at != nil {
		cursor = at
	}
	if len(m.dialogs) > 0 {
		top, at := m.dialogs[len(m.dialogs)-1].View(m.width, m.height-2)
		x, y := 0, 0
		if len(top) > 0 {
			x, y = (m.width-ansi.StringWidth(top[0]))/2, max(1, (m.height-len(top))/3)
			for i := range rows {
				rows[i] = faded(rows[i])
			}
		}
		m.toasts.Draw(rows, m.width) // first, as the dialog above them is read and answered
		pane.Overlay(rows, top, x, y)
		if cursor = at; at != nil {
			at.X, at.Y = at.X+x, at.Y+y
		}
		return rows, cursor
	}
	m.toasts.Draw(rows, m.width)
	return rows, cursor
}

// header returns what the first row shows.
func (m *Model) header() *header.Header {
	h := &header.Header{Now: m.now, Helm: m.known}
	if m.v != nil {
		h.ID = m.v.Dir.ID()
		h.Stale = m.stale()
		if m.v.Loaded {
			h.Board, h.Needs, h.Told = m.v.Board, m.v.Needs, m.stripRows() > 0
		}
	}
	return h
}

// title returns the title of the voyage.
func (m *Model) title() string { return header.Title(&m.v.Board.Voyage, m.v.Dir.ID()) }

// faded returns a row behind a dialog: its text, dimmed.
func faded(row string) string { return theme.Dim.Render(ansi.Strip(row)) }

// boxed draws a page in a box over the whole body.
func (m *Model) boxed(p page) []string {
	b := m.layout().Body()
	w, h := pane.InnerSize(b.W, b.H)
	return pane.Box{Title: p.Title(), Info: p.Info(), Focused: true}.Draw(p.View(w, h), b.W, b.H)
}

// drawPanes draws the panes of the layout side by side.
func (m *Model) drawPanes() ([]string, *tea.Cursor) {
	l := m.layout()
	b := l.Body()
	if m.v == nil {
		return firstpage.Draw(m.verdict, b.W, b.H), nil
	}
	var cursor *tea.Cursor
	m.v.Agents.SetNow(m.now, m.stale())
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
		rows[0] = m.tabRow()
	}
	return rows, cursor
}

// drawPane draws one pane in its box.
func (m *Model) drawPane(f screen.Pane, r pane.Rect) ([]string, *tea.Cursor) {
	w, h := pane.InnerSize(r.W, r.H)
	focused := m.focus == f && len(m.dialogs) == 0
	box := pane.Box{Focused: focused}
	number := fmt.Sprintf("[%d] ", f+1)
	l := m.list(f)
	if l == nil {
		return m.drawShip(r, box, number)
	}
	l.SetFocused(focused)
	body := l.View(w, h)
	box.Title, box.Info = number+l.Title(), l.Info()
	if f == screen.Logs && m.place == full {
		box.Foot = m.v.Logs.Legend()
	}
	return box.Draw(body, r.W, r.H), nil
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

// tabRow returns a row with the names of the panes, while one pane is shown at a time.
func (m *Model) tabRow() string {
	var tabs []string
	for f := range screen.Panes {
		name := "Ship"
		if l := m.list(f); l != nil {
			name = l.Name()
		}
		name = fmt.Sprintf("[%d] %s", f+1, name)
		if f == m.focus {
			name = theme.Accent.Render(name)
		} else {
			name = theme.Dim.Render(name)
		}
		tabs = append(tabs, name)
	}
	return pane.Fit(" "+strings.Join(tabs, "  "), m.width)
}
