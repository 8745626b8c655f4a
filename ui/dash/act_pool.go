package dash

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/dispatchform"
	"ocaptain/ui/dash/taskpane"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// pool returns the name of the shown pool, "" when another kind of voyage or none is shown.
func (m *Model) pool() string {
	if m.v == nil {
		return ""
	}
	return m.v.board.Voyage.PoolName()
}

// noVerify says why nothing can be verified.
func (m *Model) noVerify() string {
	if m.pool() != "" {
		return "a pool has no plan to verify; d shows what a dispatch has changed"
	}
	return m.noShips()
}

// noWholeDiff says why there is no diff of the whole voyage.
func (m *Model) noWholeDiff() string {
	if m.pool() != "" {
		return "each dispatch of a pool has a branch of its own; d shows what the selected one has changed"
	}
	return m.noVoyage()
}

// noGraph says why tasks cannot be arranged by what they wait for.
func (m *Model) noGraph() string {
	if m.pool() != "" {
		return "a dispatch waits for a worker and for no other dispatch"
	}
	return ""
}

// noBlockers says why the blockers of a task cannot be shown.
func (m *Model) noBlockers() string {
	if why := m.noGraph(); why != "" {
		return why
	}
	return m.noTask()
}

// measure counts the changes of dispatches that were done since the last count.
func (m *Model) measure() cmd {
	v, ctx := m.v, m.ctx
	some := v.tasks.Unmeasured()
	if len(some) == 0 || v.counts {
		return nil
	}
	v.counts = true
	return func() tea.Msg {
		sizes := taskpane.Measure(ctx, v.dir, some)
		return act.Then(func() cmd {
			v.counts = false
			v.tasks.SetSizes(sizes)
			if m.v != v {
				return nil
			}
			return m.measure()
		})
	}
}

// openDispatch opens the form for a dispatch: to the shown pool, or else to the pool of the working directory.
func (m *Model) openDispatch() cmd {
	repo := "."
	if m.pool() != "" {
		repo = m.v.board.Voyage.Repo
	}
	f, c := dispatchform.New(m.o.Yard, repo, m.dispatch)
	m.show(f)
	return c
}

// dispatch gives a command to a pool, shows the pool, and says which worker has the dispatch.
func (m *Model) dispatch(o *launch.Order, c launch.Command) tea.Cmd {
	name, _ := o.Pool()
	return m.jobs.Start("dispatch to "+name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		d, sent, err := m.o.Yard.Dispatch(context.WithoutCancel(ctx), o, c, report) // quitting must not take anything back
		if err != nil {
			return act.Ending{}, err
		}
		m.news.Send(ctx, act.Then(func() cmd { return m.showPool(d) }))
		return act.Ending{Text: words.Dispatched(d.ID(), sent), Well: len(sent.Paused) == 0}, nil
	})
}

// showPool shows the pool of a dispatch, unless the captain is busy.
func (m *Model) showPool(d fleet.Dir) cmd {
	if m.v != nil && m.v.dir == d || m.busy() || m.visits.asked != 0 {
		return nil
	}
	m.open(d)
	return nil
}

// noWorker says why no worker of a pool is selected.
func (m *Model) noWorker() string {
	if m.pool() == "" {
		return "only a pool has workers"
	}
	return m.noShip()
}

func (m *Model) notDrainable() string {
	if why := m.noWorker(); why != "" {
		return why
	}
	if m.current().Draining {
		return m.shipName() + " is drained already"
	}
	return ""
}

// drainWorker asks for confirmation, and then drains a worker, which finishes its work and goes.
func (m *Model) drainWorker() cmd { return onship.Drain(m.deck(), m.shipName()) }
