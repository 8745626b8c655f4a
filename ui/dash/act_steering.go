package dash

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
)

// waiting is the work on the selected task that waits for the captain's word, or nil.
func (m *Model) waiting() *fleet.Steering {
	t := m.selectedTask()
	if t == nil {
		return nil
	}
	if s := m.v.board.SteeringOf(t.ID); s != nil && s.Word == fleet.Waits {
		return s
	}
	return nil
}

func (m *Model) nothingWaits() string {
	if no := m.noTask(); no != "" {
		return no
	}
	if m.waiting() == nil {
		return "task " + clean.Line(m.selectedTask().ID) + " does not wait for you to accept anything"
	}
	return ""
}

func (m *Model) acceptWork() cmd { return m.decide(true) }

func (m *Model) declineWork() cmd { return m.decide(false) }

// decide asks, and then tells helm the captain's word on the work that is on the screen.
func (m *Model) decide(accept bool) cmd {
	s := *m.waiting()
	voyage, id := m.v.dir.ID(), clean.Line(s.Task)
	title, what, does := "Decline the work on task "+id+"?", "It goes back to "+clean.Line(s.Ship)+", which is told to leave these files alone.", "decline task "
	if accept {
		title, what, does = "Accept the work on task "+id+"?", "It is merged as it is shown by d, unless its ship has changed it since.", "accept task "
	}
	m.show(dialog.NewConfirm(title, []string{"It changes files that steer agents: " + clean.Line(s.FilesText()) + ".", what}, "",
		func() tea.Cmd {
			client := m.client
			return m.do(does+id, func(ctx context.Context, _ func(api.Progress)) error {
				return client.Decide(ctx, voyage, api.DecideRequest{Task: s.Task, Work: s.Work, Accept: accept})
			})
		}))
	return nil
}
