package dash

import (
	"ocaptain/ui/dash/act/ondecision"
)

// shown returns what the captain needs to decide about the page. When he has decided, the page before is shown again.
func (m *Model) shown() ondecision.Shown {
	return ondecision.Shown{Deck: m.deck(), Leave: func() {
		if m.diff() != nil {
			m.stepOut()
		}
	}}
}

// approve first shows the work in question; when the captain has seen it, it asks for confirmation.
func (m *Model) approve() cmd {
	if p := m.proposed(); p != nil {
		return m.shown().Accept(p)
	}
	q := *m.question()
	if m.diff() == nil {
		return m.loadDiff(q.Task)
	}
	return m.shown().Approve(q)
}

// reject first shows the work in question; when the captain has seen it, it asks for the reason.
func (m *Model) reject() cmd {
	if p := m.proposed(); p != nil {
		return m.shown().Refuse(p)
	}
	q := *m.question()
	if m.diff() == nil {
		return m.loadDiff(q.Task)
	}
	return m.shown().Reject(q)
}
