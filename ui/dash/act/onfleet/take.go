package onfleet

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/take"
)

// Take fetches the work of a task, or of a whole voyage for "", as a branch into the checkout in which the dashboard was started.
func (d *Desk) Take(v fleet.Dir, b *fleet.Board, id string) tea.Cmd {
	dir, board := d.Yard.Cwd, *b
	what := "take the work of the voyage"
	if id != "" {
		what = "take task " + clean.Line(id)
	}
	return d.Jobs.Start(what, func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
		w, err := take.Find(ctx, v, &board, id)
		if err != nil {
			return act.Ending{}, err
		}
		t, err := take.Into(ctx, dir, w, "", false)
		return act.Ending{Text: strings.Join(t.Lines(w), "; "), Well: true}, err
	})
}
