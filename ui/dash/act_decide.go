package dash

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
)

// question returns the question that the captain may decide: about what is shown, or else about the selected task;
// nil for none.
func (m *Model) question() *fleet.Question {
	if m.place == diff {
		return m.pages.diff.question
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

// approve first shows the work in question; when the captain has seen it, it asks for confirmation.
func (m *Model) approve() cmd {
	if p := m.proposed(); p != nil {
		return m.acceptProposal(p)
	}
	q := *m.question()
	if m.place != diff {
		return m.loadDiff(q.Task)
	}
	m.show(dialog.NewConfirm("Approve task "+clean.Line(q.Task)+"?", []string{"It " + clean.Line(q.What) + ".", "Then " + clean.Line(q.Yes) + "."}, "",
		func() tea.Cmd {
			return m.decide("approve", api.DecideRequest{Task: q.Task, Work: q.Work, Approve: true})
		}))
	return nil
}

// reject first shows the work in question; when the captain has seen it, it asks for the reason.
func (m *Model) reject() cmd {
	if p := m.proposed(); p != nil {
		return m.rejectProposal(p)
	}
	q := *m.question()
	if m.place != diff {
		return m.loadDiff(q.Task)
	}
	m.compose("no to "+q.Task, "Reject task "+clean.Line(q.Task)+": "+clean.Line(q.No), "why? the agent is told", func(why string) tea.Cmd {
		return m.decide("reject", api.DecideRequest{Task: q.Task, Work: q.Work, Reason: why})
	})
	return nil
}

// decide sends helm the captain's decision about what was shown, and returns to the page before.
func (m *Model) decide(verb string, r api.DecideRequest) cmd {
	if m.place == diff {
		m.stepOut()
	}
	client, voyage := m.client, m.v.dir.ID()
	return m.do(verb+" task "+clean.Line(r.Task), func(ctx context.Context, _ func(api.Progress)) error {
		return client.Decide(ctx, voyage, r)
	})
}
