package dash

import (
	"ocaptain/ui/dash/discoverypage"
	"ocaptain/ui/dash/screen"
)

// layout returns what decides where the panes are.
func (m *Model) layout() screen.Layout {
	l := screen.Layout{Width: m.width, Height: m.height, Strip: m.stripRows(), Full: m.place == full, Focus: m.focus, Low: m.low}
	if m.v != nil {
		l.Ships = m.v.Agents.Len()
	}
	return l
}

// focusOn returns an action that focuses a pane.
func focusOn(f screen.Pane) action {
	return func(m *Model) cmd {
		m.focus = f
		if f == screen.Logs || f == screen.Ship {
			m.low = f
		}
		return nil
	}
}

// focusBy moves the focus through the panes.
func focusBy(n int) action {
	return func(m *Model) cmd {
		return focusOn((m.focus + screen.Pane(n) + screen.Panes) % screen.Panes)(m)
	}
}

// atHome reports whether the panes are side by side.
func (m *Model) atHome() bool { return m.place == home && m.page == nil }

// toggleFull gives the focused pane the whole screen, or takes it back.
func (m *Model) toggleFull() cmd {
	if m.place == full {
		m.place = home
	} else {
		m.place = full
	}
	return nil
}

// stepOut goes one step towards the dashboard. It never quits.
func (m *Model) stepOut() cmd {
	v := m.v
	switch {
	case m.number.End():
	case m.page != nil:
		if p, ok := m.page.(*discoverypage.Page); !ok || !p.Close() {
			m.page = nil
		}
	case m.place == onWall:
		m.place = home
	case v != nil && m.clearFilter():
	case v != nil && m.focus == screen.Ship && m.shipName() != "" && v.Views.PaneOf(m.shipName()).Bottom():
	case m.place == full:
		m.place = home
	case v != nil && v.Agents.ClearMarks():
	}
	return nil
}

// backOrQuit leaves the page that fills the screen, or quits.
func (m *Model) backOrQuit() cmd {
	if !m.atHome() {
		m.place, m.page = home, nil
		return nil
	}
	return m.quit()
}
