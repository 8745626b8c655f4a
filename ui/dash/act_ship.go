package dash

import (
	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/dialog"
)

// shipName returns the name of the ship that actions apply to, "" for none.
func (m *Model) shipName() string {
	if s := m.current(); s != nil {
		return s.Name
	}
	return ""
}

func (m *Model) noShip() string {
	switch {
	case m.current() != nil:
		return ""
	case m.onCoordinator():
		return fleet.Coordinator + " is a part of helm and has no machine; m asks it for something"
	}
	return "no ship is selected"
}

// onCoordinator reports whether actions apply to the coordinator of a session.
func (m *Model) onCoordinator() bool {
	return m.v != nil && m.typing == "" && m.place != onWall && m.v.agents.OnCoordinator()
}

func (m *Model) noShips() string {
	if m.v == nil || len(m.v.board.Ships) == 0 {
		return "no ship is out; s adds one"
	}
	return ""
}

// noneYet is the message of an action that needs a voyage when there is none.
const noneYet = "there is no voyage yet; s sails a plan, p gives a worker something to do"

func (m *Model) noVoyage() string {
	if m.v == nil || !m.v.loaded {
		return noneYet
	}
	return ""
}

// notAttachable says why the selected ship has no terminal to show.
func (m *Model) notAttachable() string {
	s := m.current()
	switch {
	case s == nil:
		return m.noShip()
	case s.Phase != fleet.Afloat:
		return s.Name + " is not provisioned yet"
	}
	return ""
}

func (m *Model) markShip() cmd {
	m.v.agents.ToggleMark()
	return nil
}

// shipBy selects another ship without leaving the live view.
func shipBy(n int) action {
	return func(m *Model) cmd {
		m.v.agents.MoveBy(n)
		return nil
	}
}

// logsOfShip shows the logs of the selected ship alone.
func (m *Model) logsOfShip() cmd {
	m.v.logs.SelectShip(m.shipName())
	m.focus, m.low, m.place = logs, logs, full
	return nil
}

func (m *Model) noTaskHeld() string {
	s := m.current()
	switch {
	case s == nil:
		return m.noShip()
	case s.Task == "":
		return s.Name + " holds no task"
	}
	return ""
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

// namedShips returns the marked ships, or the selected one.
func (m *Model) namedShips() []string {
	if names := m.v.agents.Marked(); len(names) > 0 && m.place != onWall {
		return names
	}
	return []string{m.shipName()}
}

// onShips returns an action on the marked ships, or on the selected one.
func onShips(do func(d *act.Deck, names []string) cmd) action {
	return func(m *Model) cmd { return do(m.deck(), m.namedShips()) }
}
