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
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/firstpage"
	"ocaptain/ui/dash/header"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/shown"
)

// frame is the last drawn screen.
type frame struct {
	view   tea.View
	stands bool // the last message was a key for a ship: it changes nothing on the screen until the ship's output arrives

	rest     *rest // as drawn since the last message that may change it, or nil
	pictures bool  // the last message changes only live views
}

// rest is what is on the screen besides live views and dialogs.
type rest struct {
	top    []string // header and needs
	lists  map[screen.Pane][]string
	foot   string
	cursor *tea.Cursor // in foot
}

// keep prepares the frame for a message, and reports whether the message changes only live views. Everything else on
// the screen is then kept.
func (f *frame) keep(msg tea.Msg) bool {
	news, ok := msg.(feed.News)
	f.stands, f.pictures = false, ok && !slices.ContainsFunc(news, isNoPicture)
	if !f.pictures {
		f.rest = nil
	}
	return f.pictures
}

func isNoPicture(msg tea.Msg) bool {
	_, ok := msg.(shown.FramesMsg)
	return !ok
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
	if m.last.rest == nil || !m.last.pictures {
		m.last.rest = m.drawRest()
	}
	rows := slices.Clone(m.last.rest.top)
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
	rows = append(rows, m.last.rest.foot)
	if at := m.last.rest.cursor; at != nil {
		cursor = at
	}
	if len(m.dialogs) > 0 {
		dialog.Fade(rows)
		m.toasts.Draw(rows, m.width) // first, as the dialog above them is read and answered
		return rows, dialog.Over(rows, m.dialogs[len(m.dialogs)-1], m.width, m.height)
	}
	m.toasts.Draw(rows, m.width)
	return rows, cursor
}

// drawRest draws header, needs and footer. The lists are added when they are drawn.
func (m *Model) drawRest() *rest {
	r := &rest{top: []string{m.header().View(m.width)}, lists: map[screen.Pane][]string{}}
	if n := m.stripRows(); n > 0 {
		r.top = append(r.top, attention.Strip(m.v.Needs.All, m.now, m.width, n)...)
	}
	r.foot, r.cursor = m.footer()
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
	lists := m.last.rest.lists
	if rows := lists[f]; rows != nil {
		return rows, nil
	}
	foot := ""
	if f == screen.Logs && m.place == full {
		foot = m.v.Logs.Legend()
	}
	lists[f] = screen.DrawList(l, screen.Label(f), foot, focused, r)
	return lists[f], nil
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
