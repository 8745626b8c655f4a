package aboard

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"ocaptain/fleet/agent"
)

// report writes down events that only inform. Those of a subagent say nothing
// about the state of the agent.
func (k *hook) report(event string) {
	ctx := context.Background()
	in := k.in
	own := in.AgentID == ""
	switch event {
	case agent.HookTool:
		if own {
			k.state(ctx, AgentState{State: StateWorking, Tool: cut(in.Tool, 100)})
		}
	case agent.HookUsed:
		k.book.log("tool", describe(in.Tool, in.Input, string(k.home)), "")
	case agent.HookBroke:
		k.book.log("error", describe(in.Tool, in.Input, string(k.home))+": "+firstLine(in.Error), "")
	case agent.HookNotice:
		switch in.Notice {
		case "permission_prompt", "elicitation_dialog":
			k.state(ctx, AgentState{State: StateWaiting, Why: in.Message})
		case "idle_prompt":
			k.state(ctx, AgentState{State: StateIdle})
		default:
			k.book.log("note", in.Message, "")
		}
	case agent.HookFailed:
		why := strings.TrimSpace(in.Error + ": " + in.LastAnswer)
		k.book.log("error", why, "")
		if own {
			k.state(ctx, AgentState{State: failure(in.Error), Why: why})
		}
	case agent.HookEnd:
		k.book.log("note", "the session ended: "+in.Reason, "")
	case agent.HookCompact:
		k.book.log("note", "the session is about to be compacted ("+in.Trigger+")", "")
	}
}

// failure tells errors that pass by themselves from those that need a person.
func failure(kind string) State {
	switch kind {
	case "rate_limit", "overloaded", "server_error", "timeout", "network_error":
		return StateLimited
	}
	return StateFailed
}

// telling names the argument that says most about a tool's call.
var telling = map[string]string{
	"Read": "file_path", "Write": "file_path", "Edit": "file_path", "NotebookEdit": "notebook_path",
	"Bash": "command", "Grep": "pattern", "Glob": "pattern", "WebFetch": "url", "WebSearch": "query",
	"Task": "description", "Agent": "description", "Skill": "skill",
	"TaskGet": "taskId", "TaskUpdate": "taskId", "TaskCreate": "subject",
}

// describe puts a tool's call in a line: "Read src/auth.go".
func describe(tool string, in map[string]json.RawMessage, home string) string {
	arg := text(in[telling[tool]])
	if rel, err := filepath.Rel(filepath.Join(home, "voyage", "workspace"), arg); err == nil && filepath.IsAbs(arg) && filepath.IsLocal(rel) {
		arg = rel
	}
	if status := text(in["status"]); tool == "TaskUpdate" && status != "" {
		arg += " " + status
	}
	return strings.TrimSpace(cut(tool, 100) + " " + firstLine(arg))
}

// firstLine keeps a line short enough for a log.
func firstLine(s string) string {
	s, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		s += " …"
	}
	return cut(s, 300)
}
