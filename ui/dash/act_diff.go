package dash

import (
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/toast"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
)

// loadDiff shows the changes of a ship, a task, or with "" of the voyage; for an epic whose plan waits for approval it shows the
// plan. The captain's decision is then about what is shown.
func (m *Model) loadDiff(of string) cmd {
	title := of
	if of == "" {
		title = m.title()
	}
	view := patchview.NewDiffView(clean.Line(title))
	page := &diffPage{DiffView: view, of: &of}
	m.pages.diff = page
	m.openPage(diff)
	dir, board, ctx := m.v.dir, m.v.board, m.ctx
	return func() tea.Msg {
		patch, err := patchview.Read(ctx, dir, board, of)
		return act.Then(func() cmd {
			switch {
			case m.pages.diff != page:
			case err != nil:
				view.SetError(err)
			default:
				view.SetLines(patch)
				page.question = board.QuestionOf(of)
			}
			return nil
		})
	}
}

// notOpenable says why there is nothing that an editor could open, "" when there is.
func (m *Model) notOpenable() string {
	if m.place == detail || m.place == diff && m.pages.diff.of != nil {
		return ""
	}
	return "there is no diff here"
}

// openInEditor opens the shown diff, or the diff of the shown task, in the captain's editor.
func (m *Model) openInEditor() cmd {
	var of string
	if m.place == diff {
		of = *m.pages.diff.of
	} else {
		of = m.pages.detail.ID()
	}
	dir, board, ctx := m.v.dir, m.v.board, m.ctx
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
