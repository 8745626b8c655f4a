package fleet

import (
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// Beads is how the tasks of a voyage are issues of Beads on its branch. Without a prefix they are none.
type Beads struct {
	Prefix string `json:"prefix,omitempty"` // of the ids of issues
	AtEnd  bool   `json:"at_end,omitempty"` // they are written only when nothing is left to do
}

// Bead is the id of the issue that a task is, "" for one that is none.
func (v *Voyage) Bead(t *tasks.Task) string {
	if v.Beads.Prefix == "" || t.Internal() {
		return ""
	}
	return beads.ID(v.Beads.Prefix, v.ID, t)
}
