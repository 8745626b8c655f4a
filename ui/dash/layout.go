package dash

import (
	"ocaptain/ui/dash/pane"
)

// The smallest size in which the dashboard can be drawn.
const (
	leastWidth  = 30
	leastHeight = 10
)

// Widths from which more panes fit side by side.
const (
	wide   = 100 // agents and tasks on the left, live view and logs on the right
	medium = 80  // agents beside tasks, and logs or live view below them
)

func rect(x, y, w, h int) pane.Rect { return pane.Rect{X: x, Y: y, W: w, H: h} }

// body returns the part of the screen without header, needs and footer.
func (m *Model) body() pane.Rect {
	top := 1 + m.stripRows()
	return rect(0, top, m.width, m.height-1-top)
}

// tooSmall reports whether the screen is too small to draw anything.
func (m *Model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// layout returns where the panes are. Panes that are not on the screen are not in it.
func (m *Model) layout() map[focus]pane.Rect {
	b := m.body()
	if m.place == full {
		return map[focus]pane.Rect{m.focus: b}
	}
	switch {
	case m.width >= wide:
		left := max(44, min(78, b.W*2/5))
		agentRows := m.agentRows(b.H)
		viewRows := min(b.H, max(8, b.H*3/5))
		return map[focus]pane.Rect{
			agents:   rect(0, b.Y, left, agentRows),
			taskList: rect(0, b.Y+agentRows, left, b.H-agentRows),
			ship:     rect(left, b.Y, b.W-left, viewRows),
			logs:     rect(left, b.Y+viewRows, b.W-left, b.H-viewRows),
		}
	case m.width >= medium:
		left := b.W / 2
		top := min(b.H, max(6, b.H*9/20))
		return map[focus]pane.Rect{
			agents:   rect(0, b.Y, left, top),
			taskList: rect(left, b.Y, b.W-left, top),
			m.low:    rect(0, b.Y+top, b.W, b.H-top),
		}
	}
	return map[focus]pane.Rect{m.focus: rect(0, b.Y+1, b.W, b.H-1)} // below a row of tabs
}

// agentRows returns the height of the agents pane above the tasks: as many rows as it needs, but no more than half.
func (m *Model) agentRows(height int) int {
	n := 3
	if m.v != nil && m.v.agents.Len() > 0 {
		n = m.v.agents.Len()
	}
	return min(height, max(5, min(n+2, height/2)))
}

// tabs reports whether one pane is shown at a time, below a row that names all panes.
func (m *Model) tabs() bool { return m.place == home && m.width < medium }

// focusOn returns an action that focuses a pane.
func focusOn(f focus) action {
	return func(m *Model) cmd {
		m.focus = f
		if f == logs || f == ship {
			m.low = f
		}
		return nil
	}
}

// focusBy moves the focus through the panes.
func focusBy(n int) action {
	return func(m *Model) cmd {
		return focusOn((m.focus + focus(n) + panes) % panes)(m)
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
	case v != nil && m.focus == ship && m.shipName() != "" && v.views.PaneOf(m.shipName()).Bottom():
	case m.place == full:
		m.place = home
	case v != nil && v.agents.ClearMarks():
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
