package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/taskpane"
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

// openDispatch dispatches to the shown pool, or else to the pool of the working directory.
func (m *Model) openDispatch() cmd {
	if m.pool() != "" {
		return m.desk.Dispatch(m.v.board.Voyage.Repo)
	}
	return m.desk.Dispatch(".")
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
