package dash

import (
	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/screen"
)

func (m *Model) markShip() cmd {
	m.v.Agents.ToggleMark()
	return nil
}

// shipBy selects another ship without leaving the live view.
func shipBy(n int) action {
	return func(m *Model) cmd {
		m.v.Agents.MoveBy(n)
		return nil
	}
}

// logsOfShip shows the logs of the selected ship alone.
func (m *Model) logsOfShip() cmd {
	m.v.Logs.SelectShip(m.shipName())
	m.focus, m.low, m.place = screen.Logs, screen.Logs, full
	return nil
}

// taskOfShip selects the task that the ship holds.
func (m *Model) taskOfShip() cmd {
	m.showTask(m.current().Task)
	return nil
}

// openShip shows everything known about a ship.
func (m *Model) openShip() cmd {
	s := m.current()
	m.show(dialog.NewPager(clean.Line(s.Name), agentpane.Details(s, m.now), 84, false))
	return nil
}

// onShips returns an action on the marked ships, or on the selected one.
func onShips(do func(d *act.Deck, names []string) cmd) action {
	return func(m *Model) cmd { return do(m.deck(), m.namedShips()) }
}
