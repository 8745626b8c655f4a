package reconcile

import (
	"slices"

	"ocaptain/tasks"
)

// Log compares the tasks in a log that hubs share with the tasks that a hub had before the log lost something, and
// with other evidence. If the log has a claim of a task, or work in review, the log counts. A task that the hub had
// completed without a commit, such as a plan, is completed. Log also returns the tasks whose id now belongs to
// another task in the log.
func Log(log, had []*tasks.State, e Evidence) (m Mend, others []*tasks.State) {
	now := make(map[string]*tasks.State, len(log))
	for _, s := range log {
		now[s.ID] = s
	}
	view := make(map[string]tasks.State, len(had))
	isOther, decided := map[string]bool{}, map[string]bool{} // decided are tasks that the evidence says nothing about
	for _, s := range had {
		switch is := now[s.ID]; {
		case is != nil && is.Subject != s.Subject, isOther[s.Parent()]: // parents come first
			others = append(others, s)
			isOther[s.ID] = true
		case s.Status == tasks.Completed && s.Commit == "":
			view[s.ID] = *s
			decided[s.ID] = true
		case is == nil || is.Status != tasks.InProgress && !is.InReview():
			view[s.ID] = *s
		}
	}
	e.Landed = slices.DeleteFunc(slices.Clone(e.Landed), func(l Landed) bool {
		is := now[l.Task]
		return decided[l.Task] || is == nil && isOther[l.Task] || is != nil && !l.IsOf(is)
	})
	e.Views = []map[string]tasks.State{view}
	m = Tasks(log, e)
	m.States = slices.DeleteFunc(m.States, func(s tasks.State) bool { return decided[s.ID] })
	for id := range decided {
		if s, ok := view[id]; ok && (now[id] == nil || now[id].Status != tasks.Completed) {
			m.States = append(m.States, s)
		}
	}
	slices.SortFunc(m.States, func(a, b tasks.State) int { return tasks.CompareIDs(a.ID, b.ID) })
	if m.Floor == 0 && len(m.States) > 0 {
		m.Floor = lostClaims
	}
	return m, others
}
