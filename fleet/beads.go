package fleet

import (
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// Beads is how the tasks of a voyage are issues of Beads on its branch. Without a prefix they are none.
type Beads struct {
	Prefix string `json:"prefix,omitempty"` // of the ids of issues
	AtEnd  bool   `json:"at_end,omitempty"` // they are written only when nothing is left to do
	Mode   string `json:"mode,omitempty"`   // BeadsAuto or BeadsCLI where bd reads them into its own database
}

// The modes in which bd is run.
const (
	BeadsAuto = "auto" // where it is installed and has a database
	BeadsCLI  = "cli"  // and the captain is told where it is not installed
)

// TaskID is the id of the task that a name means: that id itself, or that of its issue.
func (b *Board) TaskID(name string) string {
	id := name
	for i := range b.Tasks {
		switch t := &b.Tasks[i]; name {
		case t.ID:
			return name
		case b.Voyage.Bead(&t.Task):
			id = t.ID
		}
	}
	return id
}

// Bead returns the id of the issue that a task is, "" when the task is no issue.
func (v *Voyage) Bead(t *tasks.Task) string {
	if v.Beads.Prefix == "" || t.Internal() {
		return ""
	}
	return beads.ID(v.Beads.Prefix, v.ID, t)
}
