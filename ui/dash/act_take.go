package dash

import (
	"context"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/take"
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
	return m.jobs.Start(what, func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
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
