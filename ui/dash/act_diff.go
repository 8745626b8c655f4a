package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/diffpage"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/tasksheet"
	"ocaptain/ui/dash/toast"
)

// loadDiff shows the changes of a ship, a task, or with "" of the voyage; for an epic whose plan waits for approval it shows the
// plan. The captain's decision is then about what is shown.
func (m *Model) loadDiff(of string) cmd {
	title := of
	if of == "" {
		title = m.title()
	}
	page, read := diffpage.OfDiff(m.ctx, clean.Line(title), m.v.Dir, m.v.Board, of)
	return tea.Batch(m.openPage(page), read)
}

// openable returns the ship or the task whose diff an editor could open, "" for the voyage; ok says whether there is any.
func (m *Model) openable() (of string, ok bool) {
	switch p := m.page.(type) {
	case *tasksheet.Detail:
		return p.ID(), true
	case *diffpage.Page:
		return p.Of()
	}
	return "", false
}

// notOpenable says why there is nothing that an editor could open, "" when there is.
func (m *Model) notOpenable() string {
	if _, ok := m.openable(); ok {
		return ""
	}
	return "there is no diff here"
}

// openInEditor opens the shown diff, or the diff of the shown task, in the captain's editor.
func (m *Model) openInEditor() cmd {
	of, _ := m.openable()
	dir, board, ctx := m.v.Dir, m.v.Board, m.ctx
	return func() tea.Msg {
		draft, err := patchview.NewDraft(ctx, dir, board, of)
		return act.Then(func() cmd {
			if err != nil {
				return m.say(toast.Bad, "cannot open the diff of "+clean.Line(of)+": "+err.Error())
			}
			return m.runEditor(draft, func(err error) cmd {
				draft.Remove()
				if err != nil {
					return m.say(toast.Bad, "your editor failed: "+err.Error())
				}
				return nil
			})
		})
	}
}
