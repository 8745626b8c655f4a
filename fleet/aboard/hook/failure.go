package hook

import (
	"context"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// turnFailed reports an error that ended the agent's turn: what it means, and when it passes. own is false for an
// error of a subagent, which ends no turn and is only logged.
func (k *call) turnFailed(ctx context.Context, own bool) {
	said := strings.TrimSpace(k.in.LastAnswer)
	if !k.transcribed() {
		text := k.in.Error
		if said != "" {
			text += ": " + said
		}
		k.book.Log("error", text, "")
	}
	if !own {
		return
	}
	t := agentlog.ClaudeTrouble(k.in.Error, k.in.Details, said, time.Now())
	k.reportState(ctx, proto.AgentState{State: troubled(t.Kind), Why: t.Why, Trouble: string(t.Kind), Until: t.Until})
}

// troubled returns the state of an agent whose turn ended with an error of this kind. Some errors pass by themselves,
// some need a person.
func troubled(kind agentlog.TroubleKind) proto.State {
	switch kind {
	case agentlog.TroubleUsage, agentlog.TroubleAPI:
		return proto.StateLimited
	case agentlog.TroublePerson:
		return proto.StateWaiting
	default:
		return proto.StateFailed
	}
}

// noteEvent logs an event that says little about the agent's state.
func (k *call) noteEvent(event string) {
	in := k.in
	switch event {
	case agent.HookShorter:
		k.book.Log("note", "the compaction is done ("+in.Trigger+")", "")
		if in.AgentID == "" {
			after := proto.StateWorking
			if in.Trigger == "manual" { // a person compacts between turns, so no turn goes on
				after = proto.StateIdle
			}
			k.reportState(context.Background(), proto.AgentState{State: after})
		}
	case agent.HookHelper:
		k.book.Log("note", "a subagent starts: "+shipdir.Cut(in.AgentType, 100), "")
	case agent.HookHelped:
		if in.AgentType != "" { // a subagent that compacts has no type
			k.book.Log("note", "a subagent has ended: "+shipdir.Cut(in.AgentType, 100), "")
		}
	case agent.HookDenied:
		k.book.Log("error", agentlog.Describe(in.Tool, in.Input, k.ship.Workspace)+" was not permitted: "+agentlog.FirstLine(in.Reason), "")
	case agent.HookModel:
		k.book.Log("note", "the model is now "+shipdir.Cut(in.ToModel, 100)+" ("+shipdir.Cut(in.Source, 20)+")", "")
	}
}
