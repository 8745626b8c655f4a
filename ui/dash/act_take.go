package dash

import (
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
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

// takeTask takes the work of the selected task into the checkout in which the dashboard was started.
func (m *Model) takeTask() cmd { return m.desk.Take(m.v.dir, m.v.board, m.selectedTask().ID) }

// takeVoyage does the same for the work of the whole voyage.
func (m *Model) takeVoyage() cmd { return m.desk.Take(m.v.dir, m.v.board, "") }

func (m *Model) nothingToRevert() string {
	if m.v != nil && m.v.board.Voyage.Kind.TakesDispatches() {
		return "work of a pool is on branches of its own: delete the branch"
	}
	return m.nothingDone()
}
