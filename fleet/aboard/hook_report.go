package aboard

import (
	"context"

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
		if !k.transcribed() {
			k.book.log("tool", agent.Describe(in.Tool, in.Input, k.ship.Workspace), "")
		}
	case agent.HookBroke:
		if !k.transcribed() {
			k.book.log("error", agent.Describe(in.Tool, in.Input, k.ship.Workspace)+": "+agent.FirstLine(in.Error), "")
		}
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
		k.failed(ctx, own)
	case agent.HookEnd:
		k.book.log("note", "the session ended: "+in.Reason, "")
	case agent.HookCompact:
		k.book.log("note", "the session is about to be compacted ("+in.Trigger+")", "")
		if own {
			k.state(ctx, AgentState{State: StateWorking, Why: "compacting its conversation"})
		}
	default:
		k.aside(event)
	}
}
