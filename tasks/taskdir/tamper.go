package taskdir

import "ocaptain/tasks"

// What is a kind of change that others make to a task file.
type What string

// The kinds of changes. When the view reports a change, it has already undone it.
const (
	Edited  What = "edited"  // fields have other values than stated
	Created What = "created" // somebody added a task: a proposal
	Deleted What = "deleted" // somebody removed the file
	Damaged What = "damaged" // the file was not readable as a task
)

// Tamper is something that others did to a task file.
type Tamper struct {
	Task   string
	What   What
	Fields []string   // the edited fields, such as "status" or "metadata.verify"
	Change tasks.Task // the task in the changed file, if it was readable

	// Kept is the path to which the view moved the changed file, for Created and Damaged.
	Kept string
}

// maxProblems bounds how many problems the view keeps.
const maxProblems = 100
