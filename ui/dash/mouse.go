package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/wall"
)

// click focuses the pane under the mouse and selects what is there.
func (m *Model) click(at tea.Mouse) cmd {
	if at.Button != tea.MouseLeft || m.v == nil || len(m.dialogs) > 0 || m.typing != "" {
		return nil
	}
	switch {
	case m.page != nil:
		return nil
	case m.place == onWall:
		return onTiles(func(w *wall.Wall) { w.Click(at.X, at.Y) })(m)
	}
	if row := at.Y - 1; row >= 0 && row < m.stripRows() {
		return m.clickStrip(row)
	}
	f, r, ok := m.layout().Places().At(at.X, at.Y)
	if !ok {
		return nil
	}
	c := focusOn(f)(m)
	x, y := at.X-r.X-1, at.Y-r.Y-1
	if l := m.list(f); l != nil {
		l.Click(x, y)
	}
	return c
}

// wheel scrolls the pane under the mouse, whatever has the focus.
func (m *Model) wheel(msg tea.MouseWheelMsg) cmd {
	n := 3
	switch msg.Button {
	case tea.MouseWheelUp:
		n = -3
	case tea.MouseWheelDown:
	default:
		return nil
	}
	switch {
	case len(m.dialogs) > 0:
		return m.toDialog(msg)
	case m.page != nil:
		m.page.ScrollBy(n)
		return nil
	case m.v == nil || m.place == onWall:
		return nil
	}
	at := msg.Mouse()
	f, _, ok := m.layout().Places().At(at.X, at.Y)
	if !ok {
		return nil
	}
	if l := m.list(f); l != nil {
		l.Wheel(n)
		return nil
	}
	return m.scrollShip(-n)
}
