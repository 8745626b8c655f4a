package dash

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/take"
	"ocaptain/ui/words"
)

// nothingDone says why the selected task has no work on a branch, "" when it has.
func (m *Model) nothingDone() string {
	t := m.selectedTask()
	switch {
	case t == nil:
		return "no task is selected"
	case t.Status != tasks.Completed || t.Cancelled:
		return "task " + clean.Line(t.ID) + " is not completed"
	}
	return ""
}

// takeTask fetches the work of the selected task as a branch into the checkout in which the dashboard was started.
func (m *Model) takeTask() cmd { return m.takeWork(m.selectedTask().ID) }

// takeVoyage does the same for the work of the whole voyage.
func (m *Model) takeVoyage() cmd { return m.takeWork("") }

func (m *Model) takeWork(id string) cmd {
	dir, d, board := m.o.Yard.Cwd, m.v.dir, *m.v.board
	what := "take the work of the voyage"
	if id != "" {
		what = "take task " + clean.Line(id)
	}
	return m.job(what, func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
		w, err := take.Find(ctx, d, &board, id)
		if err != nil {
			return act.Ending{}, err
		}
		t, err := take.Into(ctx, dir, w, "", false)
		return act.Ending{Text: strings.Join(t.Lines(w), "; "), Well: true}, err
	})
}

func (m *Model) nothingToRevert() string {
	if m.v != nil && m.v.board.Voyage.Kind.TakesDispatches() {
		return "work of a pool is on branches of its own: delete the branch"
	}
	return m.nothingDone()
}

// revertTask reverts the merged work of the selected task, once the captain has seen what that changes.
func (m *Model) revertTask() cmd {
	id, voyage, client := m.selectedTask().ID, m.v.dir.ID(), m.client
	return m.do("look at what task "+clean.Line(id)+" changed", func(ctx context.Context, _ func(api.Progress)) error {
		look, err := client.Revert(ctx, voyage, api.RevertRequest{Task: id})
		if err == nil {
			m.news.Send(ctx, result(func(m *Model) cmd { return m.askRevert(voyage, id, look) }))
		}
		return err
	})
}

func (m *Model) askRevert(voyage, id string, look api.Reverted) cmd {
	client := m.client
	var ids []string
	for _, is := range look.Tasks {
		ids = append(ids, is.Task)
	}
	m.show(dialog.NewConfirm("Revert task "+clean.Line(id)+"?", append(words.Lookback(look), "A commit takes this back, and the task is done again."), "", func() tea.Cmd {
		m.compose("revert of "+id, "Revert task "+clean.Line(id), "why? its next worker is told", func(why string) tea.Cmd {
			return m.do("revert task "+clean.Line(id), func(ctx context.Context, _ func(api.Progress)) error {
				_, err := client.Revert(ctx, voyage, api.RevertRequest{Task: id, Tasks: ids, Why: why})
				return err
			})
		})
		return nil
	}))
	return nil
}
