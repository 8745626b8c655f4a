package agent

import "slices"

// Tools changes which of its own tools an agent has: Allow wins over Deny, and both over uselessTools.
type Tools struct {
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Conversation says how much of a ship's work one conversation of Claude Code is about: "" is the same as PerShip.
type Conversation string

// The choices: a task, tasks of one group, or all that the ship ever does.
const (
	PerTask  Conversation = "task"
	PerGroup Conversation = "group"
	PerShip  Conversation = "ship"
)

// IsBounded reports whether a ship has more than one conversation.
func (c Conversation) IsBounded() bool { return c == PerTask || c == PerGroup }

// About returns what a conversation is about in which a task is done, "" where that is not bounded.
func (c Conversation) About(task, group string) string {
	switch {
	case !c.IsBounded():
		return ""
	case c == PerGroup && group != "":
		return "group " + group
	}
	return "task " + task
}

// shipTools are the tools of Claude Code that serve a ship.
var shipTools = []string{
	"Agent", "Bash", "Edit", "Read", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "WebFetch", "WebSearch", "Write",
}

// uselessTools serve no ship, for the reasons beside them. Their definitions are more than half of every request.
var uselessTools = []string{
	"AskUserQuestion",               // waits for the captain, who does not watch
	"EnterPlanMode", "ExitPlanMode", // after it, every tool asks for permission
	"EnterWorktree", "ExitWorktree", // works in a tree that is not brought home
	"CronCreate", "CronDelete", // goes on, and costs, when the work is over
	"CronList", "ScheduleWakeup", // the same
	"Monitor", "Workflow", // the same
	"SendMessage", "ListAgents", // speaks to agents that do not exist on a ship
	"ReportFindings", "NotebookEdit", // reports nowhere; edits notebooks, see denied
}

// denied are the tools that Claude Code is not to have. Notebooks are edited where there are some.
func (t Tools) denied(notebooks bool) []string {
	all := slices.Concat(uselessTools, t.Deny)
	all = slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains(t.Allow, name) || notebooks && name == "NotebookEdit" && !slices.Contains(t.Deny, name)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// UnknownClaudeTools returns those of the tools that a version of Claude Code offers which ocaptain neither gives to a ship nor denies it.
func UnknownClaudeTools(offered []string) []string {
	return slices.DeleteFunc(slices.Clone(offered), func(name string) bool {
		return slices.Contains(shipTools, name) || slices.Contains(uselessTools, name)
	})
}
