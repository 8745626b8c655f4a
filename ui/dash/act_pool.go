package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/taskpane"
)

// pool is the name of the pool that is shown, "" when it is a voyage of another kind or none.
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

// noGraph says why tasks are not arranged by what they wait for.
func (m *Model) noGraph() string {
	if m.pool() != "" {
		return "a dispatch waits for a worker and for no other dispatch"
	}
	return ""
}

// noBlockers says why there is nothing to tell of what blocks a task.
func (m *Model) noBlockers() string {
	if why := m.noGraph(); why != "" {
		return why
	}
	return m.noTask()
}

// measure counts what the dispatches changed that were done since it was counted last.
func (m *Model) measure() cmd {
	v, ctx := m.v, m.ctx
	some := v.tasks.Unmeasured()
	if len(some) == 0 || v.counts {
		return nil
	}
	v.counts = true
	return func() tea.Msg {
		sizes := taskpane.Measure(ctx, v.dir, some)
		return result(func(m *Model) cmd {
			v.counts = false
			v.tasks.SetSizes(sizes)
			if m.v != v {
				return nil
			}
			return m.measure()
		})
	}
}
