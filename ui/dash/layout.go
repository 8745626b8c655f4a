package dash

import "ocaptain/ui/dash/screen"

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

// openPage shows the detail or the diff, and remembers the place that esc leads back to.
func (m *Model) openPage(p place) {
	if m.place != detail && m.place != diff && m.place != onCosts && m.place != onDiscoveries {
		m.from = m.place
	}
	m.place = p
}

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
	case m.number != "":
		m.number = ""
	case m.place == onDiscoveries && m.pages.found.Close():
	case m.place == detail || m.place == diff || m.place == onCosts || m.place == onDiscoveries:
		m.place, m.pages = m.from, pages{}
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
	if m.place != home {
		m.place = home
		m.pages = pages{}
		return nil
	}
	return m.quit()
}
