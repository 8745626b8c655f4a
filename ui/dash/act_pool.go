package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/taskpane"
)

// measure counts the changes of dispatches that were done since the last count.
func (m *Model) measure() cmd {
	v, ctx := m.v, m.ctx
	some := v.Tasks.Unmeasured()
	if len(some) == 0 || v.Counting {
		return nil
	}
	v.Counting = true
	return func() tea.Msg {
		sizes := taskpane.Measure(ctx, v.Dir, some)
		return act.Then(func() cmd {
			v.Counting = false
			v.Tasks.SetSizes(sizes)
			if m.v != v {
				return nil
			}
			return m.measure()
		})
	}
}

// openDispatch dispatches to the shown pool, or else to the pool of the working directory.
func (m *Model) openDispatch() cmd {
	if m.selection().Pool() != "" {
		return m.desk.Dispatch(m.v.Board.Voyage.Repo)
	}
	return m.desk.Dispatch(".")
}
