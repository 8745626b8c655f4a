package fleet

import (
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// Beads says how a voyage writes its tasks as issues of Beads on its branch. Without a Prefix it writes none.
type Beads struct {
	Prefix string `json:"prefix,omitempty"` // starts the ids of the issues
	AtEnd  bool   `json:"at_end,omitempty"` // write the issues only when no task is left to do
	Mode   string `json:"mode,omitempty"`   // BeadsAuto or BeadsCLI to have bd read the issues into its own database, else ""
}

// Modes of running bd.
const (
	BeadsAuto = "auto" // run bd if it is installed and has a database
	BeadsCLI  = "cli"  // run bd, and tell the captain if it is not installed
)

// TaskID returns the id of the task that name means: name is the id of the task or of its issue.
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

// Bead returns the id of the task's issue, "" when it has none.
func (v *Voyage) Bead(t *tasks.Task) string {
	if v.Beads.Prefix == "" || t.Internal() {
		return ""
	}
	return beads.ID(v.Beads.Prefix, v.ID, t)
}
