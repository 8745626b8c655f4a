package dash

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/editor"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/graphtext"
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
		patch, err := readDiff(ctx, dir, board, of)
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

func readDiff(ctx context.Context, d fleet.Dir, b *fleet.Board, of string) (changes.Patch, error) {
	if i := slices.IndexFunc(b.Tasks, func(t tasks.State) bool { return t.ID == of && t.Proposed > 0 }); i >= 0 {
		return brokenDown(d, &b.Tasks[i])
	}
	c, err := changes.Find(ctx, d, *b, of)
	if err != nil {
		return changes.Patch{}, err
	}
	return c.Read(ctx, d)
}

// brokenDown returns the proposed parts of an epic, as rows.
func brokenDown(d fleet.Dir, epic *tasks.State) (changes.Patch, error) {
	plan, err := graphtext.Proposed(d, epic)
	if err != nil {
		return changes.Patch{}, err
	}
	var text strings.Builder
	graphtext.Write(&text, plan)
	p := changes.Patch{Title: "task " + clean.Line(epic.ID) + " is to consist of these tasks; edit them in " + clean.Line(d.Plan(epic.ID))}
	for line := range strings.SplitSeq(text.String(), "\n") {
		p.Lines = append(p.Lines, changes.Line{Kind: changes.Note, Text: line})
	}
	return p, nil
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
		draft, err := patchOf(ctx, dir, board, of)
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

// patchOf writes the changes of a ship, a task or the voyage to a draft.
func patchOf(ctx context.Context, d fleet.Dir, b *fleet.Board, of string) (editor.Draft, error) {
	c, err := changes.Find(ctx, d, *b, of)
	switch {
	case err != nil:
		return editor.Draft{}, err
	case c.IsEmpty():
		return editor.Draft{}, errors.New("nothing is changed")
	}
	return editor.NewPatch(ctx, d, c, clean.Word(cmp.Or(of, d.ID())))
}
