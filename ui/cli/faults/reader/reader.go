// Package reader judges a voyage by what anybody can see of it: git, the raw lines of its journal, processes, and the
// files aboard. It uses no code of the product that it judges. Each check returns a text for each thing that is
// wrong.
package reader

import "fmt"

// Task is what a plan asks for, and what its command writes.
type Task struct {
	ID      string
	After   []string
	File    string // file that the task makes
	Content string // of File
	Line    string // line that the task adds to the plan's shared file; "" for none
}

// Plan is the plan that the voyage sailed with.
type Plan struct {
	Tasks  []Task
	Shared string // file to which several tasks add lines
}

// Late begins the names of files that agents make outside their tasks: a task's commit may contain files of its ship
// with such names.
const Late = "late-"

// Edit is content that the captain gave a file.
type Edit struct{ File, Content string }

// Voyage says where the parts of a voyage are.
type Voyage struct {
	Plan
	Journal   string // events.jsonl
	Workspace string // the captain's working tree
	Branch    string
	Edits     []Edit // everything that the captain wrote, oldest first
}

// Check judges a voyage that claims to be complete. m holds what its journal has ever said.
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
