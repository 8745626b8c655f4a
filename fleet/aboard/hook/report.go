package hook

import (
	"context"
	"encoding/json"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/scout"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// report records events that need no decision, with one exception: it denies tools while the agent may not know that
// its ship has lost the task. Events of a subagent do not change the agent's state.
func (k *call) report(event string) outcome {
	ctx := context.Background()
	in := k.in
	own := in.AgentID == ""
	switch event {
	case agent.HookTool:
		if lost, ok := shipdir.LoadLost(k.home); ok && !strings.HasPrefix(in.Tool, "Task") {
			return outcome{stdout: permission("deny", lost.Text, nil)}
		}
		if name := k.opens(); name != "" {
			k.book.Log("note", "opened, as the search found it: "+name, "")
		}
		if own {
			k.reportState(ctx, proto.AgentState{State: proto.StateWorking, Tool: shipdir.Cut(in.Tool, 100)})
		}
	case agent.HookUsed:
		if !k.transcribed() {
			k.book.Log("tool", agentlog.Describe(in.Tool, in.Input, k.ship.Workspace), "")
		}
	case agent.HookBroke:
		if !k.transcribed() {
			k.book.Log("error", agentlog.Describe(in.Tool, in.Input, k.ship.Workspace)+": "+agentlog.FirstLine(in.Error), "")
		}
	case agent.HookNotice:
		switch in.Notice {
		case "permission_prompt", "elicitation_dialog":
			k.reportState(ctx, proto.AgentState{State: proto.StateWaiting, Why: in.Message})
		case "idle_prompt":
			k.reportIdle(ctx)
		default:
			k.book.Log("note", in.Message, "")
		}
	case agent.HookFailed:
		k.turnFailed(ctx, own)
	case agent.HookEnd:
		k.book.Log("note", "the session ended: "+in.Reason, "")
	case agent.HookCompact:
		k.book.Log("note", "the session is about to be compacted ("+in.Trigger+")", "")
		if own {
			k.reportState(ctx, proto.AgentState{State: proto.StateWorking, Why: "compacting its conversation"})
		}
	default:
		k.noteEvent(event)
	}
	return outcome{}
}

// opens returns the file that the agent opens, if its search had found that file, and "" otherwise.
func (k *call) opens() string {
	var file string
	if k.in.Tool != "Read" || !k.ship.Search || json.Unmarshal(k.in.Input["file_path"], &file) != nil {
		return ""
	}
	return scout.Opened(k.home, k.ship.Workspace, file)
}

// reportIdle reports that the agent's prompt has waited for input for a while. It reports nothing after a turn that
// ended with an error or that the captain interrupted.
func (k *call) reportIdle(ctx context.Context) {
	k.book.State(proto.AgentState{State: proto.StateIdle, Session: k.in.Session, Late: true})
	if shipdir.WindowNamed(k.home, proto.StateWorking) {
		shipdir.NameWindow(ctx, k.home, proto.StateIdle)
	}
}
