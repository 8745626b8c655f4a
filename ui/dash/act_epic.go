package dash

import (
	"ocaptain/ui/dash/act/ontask"
)

// noSession says why no epic can be added.
func (m *Model) noSession() string {
	if why := m.noVoyage(); why != "" {
		return why
	}
	if !m.v.board.Voyage.Kind.TakesEpics() {
		return "only a session has a planner, for what you ask for in words: ocaptain start"
	}
	return ""
}

// nextOrNew goes to the next hit while tasks are filtered, and otherwise asks for a new epic or task.
func (m *Model) nextOrNew() cmd {
	switch {
	case m.v.tasks.Filter() != "":
		return hit(1)(m)
	case m.v.board.Voyage.Kind.TakesEpics():
		return m.newEpic()
	}
	return ontask.New(m.deck())
}

func (m *Model) noNextOrNew() string {
	switch {
	case m.v != nil && m.v.tasks.Filter() != "":
		return ""
	case m.v != nil && m.v.board.Voyage.Kind.TakesDispatches():
		return "a pool has no list of tasks: p dispatches a command"
	}
	return m.noVoyage()
}

// newEpic asks what the session should do next.
func (m *Model) newEpic() cmd { return ontask.NewEpic(m.deck()) }
