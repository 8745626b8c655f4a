package dash

import (
	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/selection"
)

// selection returns what the captain has selected.
func (m *Model) selection() selection.Selection {
	s := selection.Selection{OnTasks: m.focus == screen.Tasks, OnDiff: m.diff() != nil, OnTrees: m.diff() != nil && m.diff().ShowsTrees()}
	if m.v == nil {
		return s
	}
	s.Board, s.Loaded, s.Needs = m.v.Board, m.v.Loaded, len(m.v.Needs.All)
	s.Ship, s.Coordinator = m.current(), m.onCoordinator()
	s.Task, s.Filtered = m.selectedTask(), m.v.Tasks.Filter() != ""
	s.Question, s.Proposal = m.question(), m.proposed()
	return s
}

// why returns why an action cannot be done, for the table of keys.
func why(no func(selection.Selection) string) func(*Model) string {
	return func(m *Model) string { return no(m.selection()) }
}

// current returns the ship that actions apply to: the ship that gets the captain's keys, the tile on the wall, or
// else the selected one. It is nil when there is none, or no longer.
func (m *Model) current() *fleet.ShipView {
	switch {
	case m.v == nil:
		return nil
	case m.typing != "":
		return m.v.Ship(m.typing)
	case m.place == onWall:
		return m.tiles().Selected()
	}
	return m.v.Agents.Selected()
}

// shipName returns the name of the ship that actions apply to, "" for none.
func (m *Model) shipName() string {
	if s := m.current(); s != nil {
		return s.Name
	}
	return ""
}

// onCoordinator reports whether actions apply to the coordinator of a session.
func (m *Model) onCoordinator() bool {
	return m.v != nil && m.typing == "" && m.place != onWall && m.v.Agents.OnCoordinator()
}

// namedShips returns the marked ships, or the selected one.
func (m *Model) namedShips() []string {
	if names := m.v.Agents.Marked(); len(names) > 0 && m.place != onWall {
		return names
	}
	return []string{m.shipName()}
}

// selectedTask returns the selected task, or nil.
func (m *Model) selectedTask() *tasks.State {
	if m.v == nil {
		return nil
	}
	return m.v.Tasks.Selected()
}

// question returns the question that the captain may decide: about what is shown, or else about the selected task;
// nil for none.
func (m *Model) question() *fleet.Question {
	if d := m.diff(); d != nil {
		return d.Question
	}
	if t := m.selectedTask(); t != nil {
		return m.v.Board.QuestionOf(t.ID)
	}
	return nil
}

// proposed returns the shown proposal, nil for none.
func (m *Model) proposed() *fleet.Proposal {
	if d := m.diff(); d != nil {
		return d.Proposal
	}
	return nil
}
