package dash

import (
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/act/ontask"
)

// messageOne writes a message to the selected ship. A message to the coordinator becomes an epic.
func (m *Model) messageOne() cmd {
	if m.onCoordinator() {
		return ontask.MessageCoordinator(m.deck())
	}
	return onship.Message(m.deck(), []string{m.shipName()})
}

// messageMany writes a message to the marked ships, or to all.
func (m *Model) messageMany() cmd { return onship.MessageAll(m.deck(), m.v.Agents.Marked()) }
