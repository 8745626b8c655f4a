package agent

import "slices"

// Tools changes which tools of its own Claude Code has. Allow overrides Deny, and both override uselessTools.
type Tools struct {
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Conversation says how much of a ship's work one conversation of Claude Code covers. "" means PerShip.
type Conversation string

// The choices: a task, the tasks of one group, or all work of the ship.
const (
	PerTask  Conversation = "task"
	PerGroup Conversation = "group"
	PerShip  Conversation = "ship"
)

// IsBounded reports whether a ship has more than one conversation.
func (c Conversation) IsBounded() bool { return c == PerTask || c == PerGroup }

// About returns what identifies the conversation in which a task is done, "" if one conversation covers all tasks.
func (c Conversation) About(task, group string) string {
	switch {
	case !c.IsBounded():
		return ""
	case c == PerGroup && group != "":
		return "group " + group
	}
	return "task " + task
}

// shipTools are the tools of Claude Code that are of use on a ship.
var shipTools = []string{
	"Agent", "Bash", "Edit", "Read", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "WebFetch", "WebSearch", "Write",
}

// uselessTools are of no use on a ship, for the reasons beside them. Their definitions make up more than half of
// every request.
var uselessTools = []string{
	"AskUserQuestion",               // would wait for an answer of the captain, who may not be watching
	"EnterPlanMode", "ExitPlanMode", // after it, every tool asks for permission
	"EnterWorktree", "ExitWorktree", // works in a tree that helm does not copy
	"CronCreate", "CronDelete", // would go on, and cost money, after the work is done
	"CronList", "ScheduleWakeup", // as above
	"Monitor", "Workflow", // as above
	"SendMessage", "ListAgents", // speaks to agents that do not exist on a ship
	"ReportFindings", "NotebookEdit", // the first reports to no one here; the second edits notebooks: see denied
}

// denied returns the tools that Claude Code does not get. It gets NotebookEdit only if the workspace has notebooks.
func (t Tools) denied(notebooks bool) []string {
	all := slices.Concat(uselessTools, t.Deny)
	all = slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains(t.Allow, name) || notebooks && name == "NotebookEdit" && !slices.Contains(t.Deny, name)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// UnknownClaudeTools returns the offered tools that are in none of the lists above.
func UnknownClaudeTools(offered []string) []string {
	return slices.DeleteFunc(slices.Clone(offered), func(name string) bool {
		return slices.Contains(shipTools, name) || slices.Contains(uselessTools, name)
	})
}
