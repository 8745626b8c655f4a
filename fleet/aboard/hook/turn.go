package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/pattern"
)

// turnEnded keeps the agent from stopping while there is work: it waits until there is some, and tells the agent
// what. If anything fails, the agent stops; helm can still send it a message.
func (k *call) turnEnded(ctx context.Context) outcome {
	if k.in.AgentID != "" {
		return outcome{}
	}
	if k.in.LastAnswer != "" && !k.transcribed() {
		k.book.Log("say", k.in.LastAnswer, "")
	}
	queued := k.queued(ctx)
	if len(queued) == 0 {
		k.reportState(ctx, proto.AgentState{State: proto.StateIdle})
	}
	var v proto.Verdict
	end := proto.WaitRequest{Ended: true, Said: shipdir.Cut(k.in.LastAnswer, 8<<10), Queued: queued}
	if err := shipdir.Ask(ctx, k.home, proto.MethodWait, end, &v); errors.Is(ctx.Err(), context.Canceled) {
		return outcome{} // the agent has ended
	} else if err != nil {
		k.book.Log("error", "no longer waiting for work: "+err.Error(), "")
		return outcome{}
	}
	switch v.Act {
	case proto.ActClaim, proto.ActContinue:
		if v.Act == proto.ActClaim && k.ship.Conversation.IsBounded() && len(v.Ready) > 0 && k.beginNext(ctx, v.Ready[0]) {
			return outcome{}
		}
		k.reportState(ctx, proto.AgentState{State: proto.StateWorking, Task: v.Held})
		raw, err := json.Marshal(map[string]string{"decision": "block", "reason": k.unaware() + k.agent().Next(v)})
		if err != nil {
			panic(err) // cannot happen: strings can always be encoded
		}
		return outcome{stdout: string(raw) + "\n"}
	case proto.ActRest:
		k.reportState(ctx, proto.AgentState{State: proto.StateResting, Why: v.Why})
	}
	return outcome{}
}

// beginNext starts a new conversation for the task if the ship's settings demand that. It reports whether the agent
// has to end for it.
func (k *call) beginNext(ctx context.Context, task string) bool {
	var next shipdir.Next
	if err := shipdir.AskOnce(ctx, k.home, shipdir.MethodNext, task, &next); err != nil && ctx.Err() == nil {
		k.book.Log("error", "its conversation goes on: "+err.Error(), task)
	}
	return next.Ends || ctx.Err() != nil
}

// unaware returns what to tell the agent first if it may not know that the ship has lost its task, "" otherwise.
func (k *call) unaware() string {
	if lost, ok := shipdir.LoadLost(k.home); ok {
		return lost.Text + " "
	}
	return ""
}

// agent describes the agent for package told. An agent with these hooks has task tools.
func (k *call) agent() told.Agent {
	return told.Agent{Role: k.ship.Role, Tools: true, Given: k.ship.Given}
}

// sessionStarted records the session's id. It tells the agent again what the agent has lost, or may never have got.
func (k *call) sessionStarted(ctx context.Context) outcome {
	if k.in.Session != "" && k.in.AgentID == "" {
		_ = shipdir.WriteFile(k.home.Session(), k.in.Session+"\n")
		shipdir.BegunNext(k.home, k.in.Session)
	}
	if k.in.Source == "startup" && k.in.AgentID == "" {
		transcript.Spend(ctx, k.home, transcript.Told{Session: k.in.Session, File: k.in.File}) // otherwise it would count as a fork, which includes the cost of the conversation before
	}
	if k.in.Source == "compact" {
		k.book.Log("note", "the session was compacted", "")
	} else {
		k.reportState(ctx, proto.AgentState{State: proto.StateStarting})
	}
	if k.in.Source != "compact" && k.in.Source != "resume" {
		return k.handover()
	}
	return addContext(agent.HookSession, k.reminder(ctx))
}

// handover tells an agent of a pool about the conversations before this one. Other agents are told with their first task.
func (k *call) handover() outcome {
	if !k.ship.Given || !k.ship.Conversation.IsBounded() || len(shipdir.LoadConversation(k.home).Tasks) == 0 {
		return outcome{}
	}
	_, err := os.Stat(filepath.Join(string(k.home), told.Notes))
	return addContext(agent.HookSession, k.agent().Handover(k.ship.Name, k.ship.Voyage, nil, err == nil))
}

// addContext returns the outcome that adds text to what Claude Code tells the model.
func addContext(event, text string) outcome {
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	raw, err := json.Marshal(map[string]specific{"hookSpecificOutput": {event, text}})
	if err != nil {
		panic(err) // cannot happen: strings can always be encoded
	}
	return outcome{stdout: string(raw) + "\n"}
}

// reminder returns a text that says which ship the agent is on, which tasks it holds and by which rules it works.
func (k *call) reminder(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if k.ship.Given {
		return fmt.Sprintf("You are %s. %sDo what the captain told you last, in %s. %s", k.ship.Name, k.unaware(), k.ship.Workspace, k.agent().Rules())
	}
	s := fmt.Sprintf("You are %s, one of the ships of voyage %s. ", k.ship.Name, k.ship.Voyage)
	h, err := k.askHeld(ctx, shipdir.HeldRequest{})
	switch {
	case err != nil:
		s += "ocaptain could not ask which tasks you hold: look at TaskList for the tasks that you own. "
	case len(h.Tasks) == 0:
		s += "You hold no task. "
	default:
		s += fmt.Sprintf("You hold task %s (TaskGet shows it): go on with it. ", shipdir.JoinIDs(h.Tasks))
	}
	return s + k.unaware() + "The specification is " + string(k.home) + "/voyage/artifacts/spec.md. " + k.agent().Rules()
}

// prompted reports that the agent got a prompt, so that the sender knows that it arrived. If the prompt altered the
// message, the agent is told its exact text.
func (k *call) prompted(ctx context.Context) outcome {
	if k.in.AgentID != "" {
		return outcome{}
	}
	shipdir.ForgetLost(k.home) // this prompt or the reminder has told the agent
	h, exact := k.comparePrompt()
	k.book.Prompt(strings.TrimSpace(pasted().ReplaceAllString(k.in.Prompt, "")), h)
	k.reportState(ctx, proto.AgentState{State: proto.StateWorking})
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = shipdir.AskOnce(ctx, k.home, shipdir.MethodHeard, h, nil)
	return exact
}

// pasted matches the tags that Claude Code puts around pasted text.
var pasted = pattern.New(`</?pasted_content( id="[^"]*")?>`)

// comparePrompt compares the agent's prompt with the message that ocaptain is typing, if they are meant to be the
// same.
func (k *call) comparePrompt() (shipdir.Heard, outcome) {
	a, err := agent.Find(k.ship.Agent, k.ship.Custom)
	if err != nil || a.Box == nil {
		return shipdir.Heard{}, outcome{}
	}
	h := shipdir.Heard{Sum: a.Box.Gist(k.in.Prompt)}
	var typed shipdir.Attempt
	if shipdir.ReadJSON(k.home.Attempt(), &typed) != nil || typed.Sum != h.Sum || a.Box.Kept(k.in.Prompt, typed.Text) {
		return h, outcome{}
	}
	h.Altered = true
	raw, err := json.Marshal(typed.Text)
	if err != nil {
		panic(err) // cannot happen: strings can always be encoded
	}
	return h, addContext(agent.HookPrompt, "Your prompt changed tabs or invisible characters of this message. Exactly as it was written, it is this JSON string: "+string(raw))
}

// reportState reports the agent's state, and shows it in the window's name.
func (k *call) reportState(ctx context.Context, s proto.AgentState) {
	s.Session = k.in.Session
	k.book.State(s)
	shipdir.NameWindow(ctx, k.home, s.State)
}
