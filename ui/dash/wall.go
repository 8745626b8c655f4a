package dash

import (
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/wall"
)

// tiles returns the page of all ships, in their present state.
func (m *Model) tiles() *wall.Wall {
	m.allShips.Set(m.v.Board.Ships, m.v.Needs, m.layout().Body())
	return &m.allShips
}

// openWall shows all ships on the wall, with the selected ship selected.
func (m *Model) openWall() cmd {
	m.tiles().Select(m.shipName())
	m.place = onWall
	return nil
}

// closer shows the selected tile in full screen.
func (m *Model) closer() cmd {
	if t := m.tiles().Selected(); t != nil {
		m.v.Agents.Select(t.Name)
		m.focus, m.low, m.place = screen.Ship, screen.Ship, full
	}
	return nil
}

// onTiles returns an action that changes the wall; the selection of the agents pane follows.
func onTiles(change func(*wall.Wall)) action {
	return func(m *Model) cmd {
		w := m.tiles()
		change(w)
		if t := w.Selected(); t != nil {
			m.v.Agents.Select(t.Name)
		}
		return nil
	}
}

func tileBy(dx, dy int) action { return onTiles(func(w *wall.Wall) { w.MoveBy(dx, dy) }) }

func wallPage(n int) action { return onTiles(func(w *wall.Wall) { w.PageBy(n) }) }

func wallSize(n int) action { return onTiles(func(w *wall.Wall) { w.Resize(n) }) }
