package taskdir

import "ocaptain/tasks"

// What is a kind of change that others make to a task file.
type What string

// The kinds of changes. The view has undone a change when it reports it.
const (
	Edited  What = "edited"  // fields have other values than stated
	Created What = "created" // somebody added a task: a proposal
	Deleted What = "deleted" // the file was gone
	Damaged What = "damaged" // the file was not readable as a task
)

// Tamper is something that others did to a task file.
type Tamper struct {
	Task   string
	What   What
	Fields []string   // the edited fields, as "status" or "metadata.verify"
	Change tasks.Task // the task as found, when it was readable

	// Kept is the file beside the task files that holds what was found, for Created and Damaged.
	Kept string
}

// maxProblems bounds how many problems the view keeps.
const maxProblems = 100
