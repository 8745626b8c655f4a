package agent

import "slices"

// Tools changes which of its own tools an agent has: Allow wins over Deny, and both over uselessTools.
type Tools struct {
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
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
