// Package told is what an agent is told about its next step, by its role and by how it claims: with task tools or by commands.
package told

import (
	"fmt"

	"ocaptain/fleet/aboard/shipdir"
)

// Agent is who is told.
type Agent struct {
	Role  string // planner, validator, or else worker
	Tools bool   // it has task tools
}

// The roles with a next step of their own.
const (
	Planner   = "planner"
	Validator = "validator"
)

// Held returns what an agent is told that ends its turn with a task.
func (a Agent) Held(id string) string {
	switch {
	case a.Role == Planner:
		return fmt.Sprintf("You still hold epic %s: break it down, and hand the tasks in with `ocaptain task plan -`. If you cannot, give it back: `ocaptain task release %[1]s --reason \"why\"`.", id)
	case a.Role == Validator:
		return fmt.Sprintf("You still hold the review of task %s: answer with `ocaptain task review approve --why \"…\"` or `ocaptain task review reject --why \"…\"`.", id)
	case a.Tools:
		return fmt.Sprintf("You still hold task %s: go on with it. Complete it with TaskUpdate (status completed), or give it back (status pending) if you cannot do it.", id)
	}
	return fmt.Sprintf("You hold task %s: go on with it and complete it (see `ocaptain task list %[1]s`), or give it back if you cannot do it.", id)
}

// Ready returns what an agent is told for which tasks are ready, the best one first.
func (a Agent) Ready(ids []string) string {
	is, then := "Task %s is ready", "then do it."
	switch a.Role {
	case Planner:
		is, then = "Epic %s is ready", "then break it down."
	case Validator:
		is, then = "Work on task %s was handed in", "then review it."
	}
	if len(ids) == 0 {
		return "There is work: claim it with " + a.claim("") + ", " + then
	}
	text := fmt.Sprintf(is, ids[0])
	if len(ids) > 1 {
		text += " (also " + shipdir.JoinIDs(ids[1:]) + ")"
	}
	return text + ": claim it with " + a.claim(" "+ids[0]) + ", " + then
}

// claim is how a task is claimed.
func (a Agent) claim(id string) string {
	if a.Tools && a.Role != Planner && a.Role != Validator {
		return "TaskUpdate (status in_progress)"
	}
	return "`ocaptain task claim" + id + "`"
}

// Rules returns what an agent is told that may have forgotten its orders.
func (a Agent) Rules() string {
	const rest = "When you have nothing to do, end your turn: you are told when there is something."
	switch {
	case a.Role == Planner:
		return "You break epics down, and change no file: claim one with `ocaptain task claim`, and hand its tasks in with `ocaptain task plan -`. " + rest
	case a.Role == Validator:
		return "You review what others have handed in, and change nothing: claim it with `ocaptain task claim`, and answer with `ocaptain task review approve` or `reject`, with your reasons after --why. " + rest
	case a.Tools:
		return "Work on a task only after TaskUpdate with status in_progress was accepted, one at a time; " +
			"TaskUpdate with status completed merges your work, and says what to repair when it cannot. " + rest
	}
	return "Work on a task only after `ocaptain task claim` granted it, one at a time; `ocaptain task complete ID --summary \"…\"` " +
		"merges your work, and says what to repair when it cannot; `ocaptain task release ID --reason \"…\"` gives a task back that you cannot do. " +
		"`ocaptain task list ID` shows a task in full. " + rest
}
