package dash

import (
	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/act/ondecision"
)

// question returns the question that the captain may decide: about what is shown, or else about the selected task;
// nil for none.
func (m *Model) question() *fleet.Question {
	if m.place == diff {
		return m.pages.diff.Question
	}
	if t := m.selectedTask(); t != nil {
		return m.v.board.QuestionOf(t.ID)
	}
	return nil
}

func (m *Model) nothingAsked() string {
	switch {
	case m.question() != nil || m.proposed() != nil:
		return ""
	case m.place == diff:
		return "nothing that is shown waits for you to approve it"
	case m.noTask() != "":
		return m.noTask()
	}
	return "task " + clean.Line(m.selectedTask().ID) + " does not wait for you to approve anything"
}

// shown returns what the captain needs to decide about the page. When he has decided, the page before is shown again.
func (m *Model) shown() ondecision.Shown {
	return ondecision.Shown{Deck: m.deck(), Leave: func() {
		if m.place == diff {
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
	if m.place != diff {
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
	if m.place != diff {
		return m.loadDiff(q.Task)
	}
	return m.shown().Reject(q)
}
