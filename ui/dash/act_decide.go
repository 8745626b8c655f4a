package dash

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
)

// question is what the captain may decide about the selected task, or nil.
func (m *Model) question() *fleet.Question {
	t := m.selectedTask()
	if t == nil {
		return nil
	}
	return m.v.board.QuestionOf(t.ID)
}

func (m *Model) nothingAsked() string {
	if no := m.noTask(); no != "" {
		return no
	}
	if m.question() == nil {
		return "task " + clean.Line(m.selectedTask().ID) + " does not wait for you to approve anything"
	}
	return ""
}

func (m *Model) approve() cmd { return m.decide(true) }

func (m *Model) reject() cmd { return m.decide(false) }

// decide asks, and then tells helm the captain's word on what is on the screen.
func (m *Model) decide(approve bool) cmd {
	q := *m.question()
	voyage, id := m.v.dir.ID(), clean.Line(q.Task)
	verb, follows := "Reject", q.No
	if approve {
		verb, follows = "Approve", q.Yes
	}
	m.show(dialog.NewConfirm(verb+" task "+id+"?", []string{"It " + clean.Line(q.What) + ".", "Then " + clean.Line(follows) + "."}, "",
		func() tea.Cmd {
			client := m.client
			return m.do(strings.ToLower(verb)+" task "+id, func(ctx context.Context, _ func(api.Progress)) error {
				return client.Decide(ctx, voyage, api.DecideRequest{Task: q.Task, Work: q.Work, Approve: approve})
			})
		}))
	return nil
}
