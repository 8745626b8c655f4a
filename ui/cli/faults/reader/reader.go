// Package reader judges a voyage by what anybody can see of it: git, the raw lines of its journal, processes, and the
// files aboard. It uses nothing of the product that it judges. Each check returns what is wrong, one text each.
package reader

import "fmt"

// Task is what a plan asks for, and what its command writes.
type Task struct {
	ID      string
	After   []string
	File    string // that it makes
	Content string // of File
	Line    string // that it adds to the plan's shared file; "" for none
}

// Plan is what a voyage was given.
type Plan struct {
	Tasks  []Task
	Shared string // file that several tasks add lines to
}

// Late begins the names of files that agents make beside their tasks: a task's commit may have those of its ship.
const Late = "late-"

// Edit is content that the captain gave a file.
type Edit struct{ File, Content string }

// Voyage is where a voyage can be read.
type Voyage struct {
	Plan
	Journal   string // events.jsonl
	Workspace string // the captain's working tree
	Branch    string
	Edits     []Edit // everything that the captain wrote, oldest first
}

// Check judges a voyage that says it is complete. The memory holds what its journal once said.
func (v Voyage) Check(m *Memory) []string {
	events, wrong := readJournal(v.Journal)
	wrong = append(wrong, v.Completions(events, m)...)
	wrong = append(wrong, v.Order(events)...)
	history, err := v.history()
	if err != nil {
		return append(wrong, fmt.Sprintf("the branch cannot be read: %v", err))
	}
	for _, check := range []func([]commit) ([]string, error){v.merges, v.contents, v.captains, v.markers} {
		found, err := check(history)
		wrong = append(wrong, found...)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return wrong
}
