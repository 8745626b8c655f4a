package onfleet

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dispatchform"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// Dispatch asks for a command to the pool of a repository, and dispatches it.
func (d *Desk) Dispatch(repo string) tea.Cmd {
	f, c := dispatchform.New(*d.Yard, repo, d.dispatch)
	d.Show(f)
	return c
}

// dispatch gives a command to a pool, shows the pool, and says which worker has the dispatch.
func (d *Desk) dispatch(o *launch.Order, c launch.Command) tea.Cmd {
	name, _ := o.Pool()
	return d.Jobs.Start("dispatch to "+name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		v, sent, err := d.Yard.Dispatch(context.WithoutCancel(ctx), o, c, report) // quitting must not take anything back
		if err != nil {
			return act.Ending{}, err
		}
		d.Send(ctx, act.Then(func() tea.Cmd { return d.showPool(v) }))
		return act.Ending{Text: words.Dispatched(v.ID(), sent), Well: len(sent.Paused) == 0}, nil
	})
}

// showPool shows the pool of a dispatch, unless the captain is busy.
func (d *Desk) showPool(v fleet.Dir) tea.Cmd {
	if shown := d.Shown(); shown != nil && *shown == v || d.Busy() || d.Away() {
		return nil
	}
	d.Open(v)
	return nil
}
