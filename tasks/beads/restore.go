package beads

import (
	"strings"

	"ocaptain/tasks"
)

// Tasks returns the tasks of the session that issues tell of. Work that is merged is for the branch to tell: such a task is pending.
func (s Session) Tasks(f *File) (all []*tasks.State) {
	ids := map[string]string{} // ids of tasks, by issue
	for _, i := range f.Issues() {
		if m := s.mark(i); m != nil && m.Session == s.Voyage && tasks.ValidID(m.Task) {
			ids[i.ID] = m.Task
		}
	}
	for _, i := range f.Issues() {
		if ids[i.ID] == "" {
			continue
		}
		t := i.task()
		t.ID = ids[i.ID]
		for _, on := range i.dependsOn(blocks) {
			if ids[on] != "" {
				t.BlockedBy = append(t.BlockedBy, ids[on])
			}
		}
		if whole := ids[i.Parent()]; whole != "" {
			t.Metadata["parent"] = whole
		}
		state := &tasks.State{Task: t}
		if i.Status == Closed && !strings.HasPrefix(i.CloseReason, merged) {
			state.Status, state.Cancelled = tasks.Completed, strings.HasPrefix(i.CloseReason, cancelled)
		}
		all = append(all, state)
	}
	return all
}
