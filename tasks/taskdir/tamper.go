package taskdir

import "ocaptain/tasks"

// What somebody did to a task file.
type What string

// The things that others do to task files. They have been undone when they are reported.
const (
	Edited  What = "edited"  // fields have another value than they should
	Created What = "created" // a task that was never added: a proposal
	Deleted What = "deleted" // the file was gone
	Damaged What = "damaged" // the file was not readable as a task
)

// Tamper is something that others did to a task file.
type Tamper struct {
	Task   string
	What   What
	Fields []string   // that were edited, as "status" or "metadata.verify"
	Change tasks.Task // as it was found, when it was readable

	// Kept is the file beside the task files that keeps what was found, for Created
	// and Damaged.
	Kept string
}

// maxProblems bounds how many problems are kept in words.
const maxProblems = 100
