// Package told is what an agent is told about its next step, by its role and by how it claims: with task tools or by commands.
package told

import (
	"fmt"
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// Agent is who is told.
type Agent struct {
	Role  string // planner, validator, or else worker
	Tools bool   // it has task tools
	Given bool   // the captain gives it its work, one piece after the other: it has no task list
}

// The roles with a next step of their own.
const (
	Planner   = "planner"
	Validator = "validator"
)

// What every agent is told that was stopped in the middle of something.
const (
	AfterError = "An error stopped you. Go on where you were; if nothing was under way, end your turn."
	AfterPause = "A pause interrupted you, and it is over. Go on where you were; if nothing was under way, end your turn."
)

// Notes is the file in a ship's home in which its agent writes what its later conversations should know.
const Notes = "notes.md"

// What every agent is told that claims or completes.
const (
	TalkedOut = "this conversation was about another task, and is over: end your turn, and the next task begins in a new one"
	Finishing = "Once it is accepted, end your turn: you are told what is next."
)

// Granted returns the words with which a claim is granted: the description as well, so that the agent need not ask for it.
func Granted(id, description string) string {
	return "Task " + id + " is yours. Its description, as TaskGet shows it:\n\n" + description
}

// Task is a task that an agent has worked on.
type Task struct{ ID, Subject string }

// Handover returns the words about earlier conversations with which a new conversation begins: the agent cannot see them any more.
func (a Agent) Handover(ship, voyage string, had []Task, notes bool) string {
	text := fmt.Sprintf("You are %s of %s, and this is a new conversation.", ship, voyage)
	var all []string
	for _, t := range had[max(0, len(had)-3):] {
		subject := strings.Join(strings.Fields(t.Subject), " ")
		if r := []rune(subject); len(r) > 60 {
			subject = string(r[:60]) + "…"
		}
		all = append(all, fmt.Sprintf("%s (%s)", t.ID, subject))
	}
	if len(all) > 0 {
		text += " In those before you had " + strings.Join(all, ", ") + "."
	}
	if notes {
		return text + " Your notes from them are in ~/" + Notes + ": read them, and add what a later one should know."
	}
	return text + " What a later one should know, write to ~/" + Notes + ", in a few lines."
}

// First returns what an agent is told to begin with.
func (a Agent) First(ship, voyage string) string {
	if a.Given {
		return ""
	}
	return fmt.Sprintf("You are %s of %s. %s", ship, voyage, a.Begin())
}

// Begin returns what an agent does first in a new conversation, whatever it held before.
func (a Agent) Begin() string {
	switch {
	case a.Given:
		return "End your turn: the captain tells you what to do."
	case a.Role == Planner:
		return "Begin: claim an epic with `ocaptain task claim`, break it down, and hand its tasks in."
	case a.Role == Validator:
		return "Begin: claim work that was handed in with `ocaptain task claim`, review it, and answer."
	}
	return "Begin: look at the task list. If you own a task, go on with it; otherwise claim one that is ready, and work on it."
}

// Next returns what a verdict of helm's asks an agent to do.
func (a Agent) Next(v proto.Verdict) string {
	text := a.Ready(v.Ready)
	switch {
	case a.Given:
		text = "What you were told is not done yet: go on with it, and end your turn when it is."
	case v.Act == proto.ActContinue:
		text = a.Held(v.Held)
	}
	return strings.TrimSpace(text + " " + v.Why)
}

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

// Lost returns what an agent is told that has lost the claim of a task.
func (a Agent) Lost(id string, f proto.Fate) string {
	if f.GoesOn {
		return fmt.Sprintf("You have taken as many turns for task %s as you may: end your turn. What you did is kept, and you go on with it once you have claimed it again.", id)
	}
	text := fmt.Sprintf("Task %s was taken back from you: %s. Stop working on it: nothing that you still do for it counts.", id, f.Why)
	if f.Kept != "" {
		text += " What you had done is kept on the hub, on " + f.Kept + "."
	}
	switch {
	case a.Given:
		return text + " End your turn."
	case a.Role == Planner:
		return text + " Claim another epic with `ocaptain task claim`, or end your turn."
	case a.Role == Validator:
		return text + " Claim other work that was handed in with `ocaptain task claim`, or end your turn."
	}
	return text + " Claim a task that is ready, or end your turn."
}

// What an agent is told that answers or hands in without a claim.
const (
	NoReview = "you hold no review. Claim work that was handed in: `ocaptain task claim`; or end your turn: you are told when there is some"
	NoEpic   = "you hold nothing that could be broken down. Claim an epic: `ocaptain task claim`; or end your turn: you are told when there is one"
)

// SayWhy returns what a validator is told that answers without a reason.
func SayWhy(answer string) string {
	why := "what you have tried, and why it is good"
	if answer == "reject" {
		why = "what must be mended, where, and how one sees that it is"
	}
	return fmt.Sprintf("the reason is missing. Write: ocaptain task review %s --why \"%s\"", answer, why)
}

// ReviewOver returns what a validator is told whose answer comes after the end of its claim, and why that ended, "" where it is not known.
func ReviewOver(id, why string) string {
	text := "your claim of task " + id + " is no longer valid"
	if why != "" {
		text += ": " + why
	}
	return text + ". Your answer does not count, and nothing is left to do for it. Claim other work with `ocaptain task claim`, or end your turn"
}

// WentBack returns what a validator is told whose claim ends as the work cannot be merged any more.
func WentBack(owner string) string {
	return "there is nothing to review: the work went back to " + owner + ", as it conflicts with what was merged meanwhile. Claim other work with ocaptain task claim, or end your turn"
}

// Check returns what a worker is told about the command that checks its task.
func Check(command string) string {
	return "before it is merged, this command must succeed on it and the branch together: " + command
}

// Rules returns what an agent is told that may have forgotten its orders.
func (a Agent) Rules() string {
	const rest = "When you have nothing to do, end your turn: you are told when there is something."
	switch {
	case a.Given:
		return "Nobody answers questions. Do not push, and do not switch branches. End your turn when you are done, with a summary of what you did."
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
