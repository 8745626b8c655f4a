// Package told holds the texts that tell an agent its next step, by its role and by how it claims: with task tools or by
// commands.
package told

import (
	"fmt"
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// Agent describes the agent that a text is for.
type Agent struct {
	Role  string // planner or validator; any other value means worker
	Tools bool   // it has task tools
	Given bool   // it gets its work from the captain, one dispatch after the other, and has no task list
}

// The roles that have texts of their own.
const (
	Planner   = "planner"
	Validator = "validator"
)

// What an agent is told when it is stopped in the middle of its work.
const (
	AfterError = "An error stopped you. Go on where you were; if nothing was under way, end your turn."
	AfterPause = "A pause interrupted you, and it is over. Go on where you were; if nothing was under way, end your turn."
)

// Notes is the name of the file in a ship's home in which the agent writes notes for its later conversations.
const Notes = "notes.md"

// What an agent is told when it claims or completes a task.
const (
	TalkedOut = "this conversation was about another task, and is over: end your turn, and the next task begins in a new one"
	Finishing = "Once it is accepted, end your turn: you are told what is next."
)

// Granted returns the text that grants a claim. It contains the description, so that the agent need not ask for it.
func Granted(id, description string) string {
	return "Task " + id + " is yours. Its description, as TaskGet shows it:\n\n" + description
}

// Task is a task that an agent has worked on.
type Task struct{ ID, Subject string }

// Handover returns the text about earlier conversations that begins a new conversation, since the agent cannot see the earlier
// ones.
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

// First returns the first prompt of an agent.
func (a Agent) First(ship, voyage string) string {
	if a.Given {
		return ""
	}
	return fmt.Sprintf("You are %s of %s. %s", ship, voyage, a.Begin())
}

// Begin returns what an agent has to do first in a new conversation, whichever task it had before.
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

// Next returns what an agent has to do according to helm's verdict.
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

// Held returns what to tell an agent that ends its turn although it holds a task.
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

// Ready returns what to tell an agent for which these tasks are ready, the best one first.
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

// claim says how to claim a task.
func (a Agent) claim(id string) string {
	if a.Tools && a.Role != Planner && a.Role != Validator {
		return "TaskUpdate (status in_progress)"
	}
	return "`ocaptain task claim" + id + "`"
}

// Lost returns what to tell an agent that has lost its claim on a task.
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

// What to tell an agent that reviews or hands in without a claim.
const (
	NoReview = "you hold no review. Claim work that was handed in: `ocaptain task claim`; or end your turn: you are told when there is some"
	NoEpic   = "you hold nothing that could be broken down. Claim an epic: `ocaptain task claim`; or end your turn: you are told when there is one"
)

// SayWhy returns what to tell a validator that answers without a reason.
func SayWhy(answer string) string {
	why := "what you have tried, and why it is good"
	if answer == "reject" {
		why = "what must be mended, where, and how one sees that it is"
	}
	return fmt.Sprintf("the reason is missing. Write: ocaptain task review %s --why \"%s\"", answer, why)
}

// ReviewOver returns what to tell a validator whose answer comes after its claim has ended. why says why the claim ended, "" if that is
// unknown.
func ReviewOver(id, why string) string {
	text := "your claim of task " + id + " is no longer valid"
	if why != "" {
		text += ": " + why
	}
	return text + ". Your answer does not count, and nothing is left to do for it. Claim other work with `ocaptain task claim`, or end your turn"
}

// WentBack returns what to tell a validator whose claim ends because the work can no longer be merged.
func WentBack(owner string) string {
	return "there is nothing to review: the work went back to " + owner + ", as it conflicts with what was merged meanwhile. Claim other work with ocaptain task claim, or end your turn"
}

// Check returns what to tell a worker about the command that checks its task.
func Check(command string) string {
	return "before it is merged, this command must succeed on it and the branch together: " + command
}

// Rules returns the rules for an agent that may have forgotten its first prompt.
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
