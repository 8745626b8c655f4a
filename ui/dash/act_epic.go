package dash

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
)

// noSession says why nothing can be asked for in words.
func (m *Model) noSession() string {
	if why := m.noVoyage(); why != "" {
		return why
	}
	if !m.v.board.Voyage.Kind.TakesEpics() {
		return "only a session has a planner, for what you ask for in words: ocaptain start"
	}
	return ""
}

// nextOrNew goes to the next task while they are filtered, and else asks for something more: an epic, or a task.
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

const wish = "what do you want? A planner breaks it down into tasks"

// newEpic asks what the session is to do besides.
func (m *Model) newEpic() cmd {
	m.compose(forEpic, "New epic", wish, m.addEpic)
	return nil
}

// messageCoordinator is newEpic for who writes a message: he may not expect that work begins on it, and says yes to that.
func (m *Model) messageCoordinator() cmd {
	m.compose(forEpic, "Message to "+fleet.Coordinator, wish, func(text string) tea.Cmd {
		m.show(dialog.NewConfirm("Make this an epic?", []string{"“" + words.FirstLine(clean.Text(text)) + "”", "A planner breaks it down, and workers begin."}, "",
			func() tea.Cmd { return m.addEpic(text) }))
		return nil
	})
	return nil
}

// addEpic asks the session for something.
func (m *Model) addEpic(text string) tea.Cmd {
	client, voyage := m.client, m.v.dir.ID()
	if client == nil {
		return m.do("add an epic", nil) // which says so
	}
	return m.job("add an epic", func(ctx context.Context, _ func(api.Progress)) (ending, error) {
		added, err := client.AddEpic(ctx, voyage, api.EpicRequest{Text: text, Priority: usualPriority})
		return ending{"it is task " + clean.Line(added.Task), true}, err
	})
}

// usualPriority is that of what is asked for without one, of 0 to 4.
const usualPriority = 2
