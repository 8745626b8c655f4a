package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/ontask"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/editor"
	"ocaptain/ui/taskfile"
)

// editTask opens the selected task in the captain's editor, or as a text on the screen when no editor is configured.
func (m *Model) editTask() cmd {
	t, d := *m.selectedTask(), m.deck()
	if m.env("VISUAL") == "" && m.env("EDITOR") == "" {
		return ontask.Edit(d, t)
	}
	draft, err := editor.NewDraft("task-"+t.ID+".yaml", taskfile.Text(&t))
	if err != nil {
		return m.say(toast.Bad, err.Error())
	}
	return m.runEditor(draft, func(err error) cmd { return ontask.Edited(d, t, draft, err) })
}

// runEditor gives the terminal to the captain's editor on a draft, and calls left when the editor ends.
func (m *Model) runEditor(draft editor.Draft, left func(error) cmd) cmd {
	c, err := editor.Command(m.o.Environ, draft.Path)
	if err != nil {
		draft.Remove()
		return m.say(toast.Bad, err.Error())
	}
	m.visits.Lend()
	return tea.ExecProcess(c, func(err error) tea.Msg {
		return act.Then(func() cmd {
			m.visits.Return()
			return left(err)
		})
	})
}
