package dash

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
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
	return m.newTask()
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

// epicDraft is the purpose of a text that becomes an epic.
const epicDraft = "an epic"

const wish = "what do you want? A planner breaks it down into tasks"

// newEpic asks what the session should do next.
func (m *Model) newEpic() cmd {
	m.compose(epicDraft, "New epic", wish, m.addEpic)
	return nil
}

// messageCoordinator asks for an epic from a captain who writes a message, and for a confirmation, as the captain may not
// expect that work begins.
func (m *Model) messageCoordinator() cmd {
	m.compose(epicDraft, "Message to "+fleet.Coordinator, wish, func(text string) tea.Cmd {
		m.show(dialog.NewConfirm("Make this an epic?", []string{"“" + words.FirstLine(clean.Text(text)) + "”", "A planner breaks it down, and workers begin."}, "",
			func() tea.Cmd { return m.addEpic(text) }))
		return nil
	})
	return nil
}

// addEpic gives an epic to the session.
func (m *Model) addEpic(text string) tea.Cmd {
	client, voyage := m.client, m.v.dir.ID()
	if client == nil {
		return m.do("add an epic", nil) // do reports the missing helm
	}
	return m.job("add an epic", func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
		added, err := client.AddEpic(ctx, voyage, api.EpicRequest{Text: text, Priority: usualPriority})
		return act.Ending{Text: "it is task " + clean.Line(added.Task), Well: true}, err
	})
}

// usualPriority is the priority of an epic without one, from 0 to 4.
const usualPriority = 2
