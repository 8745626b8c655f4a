package otherapi

import "ocaptain/tasks/pattern"

var (
	claimedTask = pattern.New(`claimed task (\S+):`)
	runLine     = pattern.New(`(?m)^Run: (.*)$`)
	heldTask    = pattern.New(`You hold task (\S+):`)
	doneTask    = pattern.New(`(?m)^(completed|handed in) task `)
)

// Worker is a model that does what the prompt of a ship asks for by "ocaptain task": it claims the best task, runs
// the line "Run: command" of its description, completes it, and ends its turn. It repeats a refused completion once.
func Worker(t Talk) Step {
	last := ""
	if n := len(t.Results); n > 0 {
		last = t.Results[n-1]
	}
	id := ""
	if m := heldTask().FindStringSubmatch(t.Prompt); m != nil {
		id = m[1]
	}
	for _, r := range t.Results {
		if m := claimedTask().FindStringSubmatch(r); m != nil {
			id = m[1]
		}
	}
	run := ""
	for _, r := range t.Results {
		if m := runLine().FindStringSubmatch(r); m != nil {
			run = m[1]
		}
	}
	switch {
	case id == "" && len(t.Results) == 0:
		return Step{Say: "I look for a task.", Run: "ocaptain task claim"}
	case id == "":
		return Step{Say: "There is nothing for me."}
	case doneTask().MatchString(last):
		return Step{Say: "Task " + id + " is done."}
	case len(t.Results) > 4:
		return Step{Say: "I cannot do task " + id + "."}
	case run == "":
		return Step{Run: "ocaptain task list " + id}
	}
	// One command line, since some agents refuse a command inside a command.
	return Step{Run: run + " && ocaptain task complete " + id + ` --summary "As it was asked for."`}
}
