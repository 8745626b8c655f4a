// Package hook is what the agent's hooks call: it decides which tools may run, asks helm for claims and completions,
// keeps the agent from stopping while there is work, and reports what the agent does.
package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// maxPayload bounds how much a hook reads, in bytes. The payload includes the results of tools.
const maxPayload = 16 << 20

// Exit codes that Claude Code understands.
const (
	exitGo   = 0
	exitVeto = 2
)

// payload holds the fields of Claude Code's payload for a hook that are used here.
type payload struct {
	Event      string                     `json:"hook_event_name"`
	Session    string                     `json:"session_id"`
	AgentID    string                     `json:"agent_id"` // set for a subagent
	Source     string                     `json:"source"`
	Prompt     string                     `json:"prompt"`
	Tool       string                     `json:"tool_name"`
	Input      map[string]json.RawMessage `json:"tool_input"`
	Error      string                     `json:"error"`
	Details    string                     `json:"error_details"`
	Task       string                     `json:"task_id"`
	Message    string                     `json:"message"`
	Notice     string                     `json:"notification_type"`
	Reason     string                     `json:"reason"`
	Trigger    string                     `json:"trigger"`
	LastAnswer string                     `json:"last_assistant_message"`
	File       string                     `json:"transcript_path"`
	Cost       json.RawMessage            `json:"cost"` // in the payload of the status line
	Context    json.RawMessage            `json:"context_window"`
	AgentType  string                     `json:"agent_type"` // the type of a subagent
	ToModel    string                     `json:"to_model"`
}

// call is one run of a hook.
type call struct {
	home shipdir.Dir
	ship proto.Ship
	book *shipdir.Journal
	in   payload
}

// outcome is a hook's output and exit code.
type outcome struct {
	stdout, stderr string
	code           int
}

// Answer runs the hook of an event and returns its exit code. A gate that is in doubt, out of time or broken refuses.
func Answer(ctx context.Context, dir, event string, stdin io.Reader, stdout, stderr io.Writer) int {
	if event == agent.HookStop {
		var cancel context.CancelFunc
		ctx, cancel = whileHeard(ctx, stdout)
		defer cancel()
	}
	return hookWithin(ctx, agent.HookLimits(event).Own, shipdir.Dir(dir), event, stdin, stdout, stderr)
}

func hookWithin(ctx context.Context, limit time.Duration, h shipdir.Dir, event string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- cannotDecide(event, fmt.Sprintf("internal error: %v", r))
			}
		}()
		done <- decide(ctx, h, event, stdin)
	}()
	// The hook leaves a hanging goroutine behind. A grace period lets a goroutine that ended in time report its result.
	grace := min(limit/10, 2*time.Second)
	var o outcome
	select {
	case o = <-done:
	case <-afterEnd(ctx, grace):
		o = cannotDecide(event, fmt.Sprintf("no decision within %s", limit))
	}
	_, outErr := io.WriteString(stdout, o.stdout)
	_, errErr := io.WriteString(stderr, o.stderr)
	switch {
	case !agent.IsGate(event):
		return o.code
	case o.code == exitGo && outErr == nil && errErr == nil:
		return agent.Decided
	default:
		return exitVeto
	}
}

// afterEnd returns a channel that is closed some time after ctx has ended.
func afterEnd(ctx context.Context, grace time.Duration) <-chan struct{} {
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { close(late) }) })
	return late
}

// cannotDecide returns the outcome of a hook that could not do its work.
func cannotDecide(event, why string) outcome {
	if !agent.IsGate(event) {
		return outcome{code: exitGo}
	}
	why = "ocaptain could not decide, so the answer is no: " + why + ". Try again in a while."
	o := outcome{stderr: why + "\n", code: exitVeto}
	if event == agent.HookClaim {
		o.stdout = permission("deny", why, nil)
	}
	return o
}

// decide reads the hook's payload and acts on it.
func decide(ctx context.Context, h shipdir.Dir, event string, stdin io.Reader) outcome {
	raw, err := io.ReadAll(io.LimitReader(stdin, maxPayload+1))
	if err != nil {
		return cannotDecide(event, err.Error())
	}
	if len(raw) > maxPayload {
		return cannotDecide(event, "the event is too large")
	}
	k := &call{home: h}
	if err := json.Unmarshal(raw, &k.in); err != nil {
		return cannotDecide(event, "the event is not valid JSON")
	}
	if k.ship, err = shipdir.LoadShip(string(h)); err != nil {
		return cannotDecide(event, err.Error())
	}
	if k.book, err = shipdir.OpenJournal(h); err == nil {
		defer k.book.Close()
	}
	if agent.IsGate(event) && k.in.Event != event {
		return cannotDecide(event, fmt.Sprintf("the event is %.40q, expected %s", k.in.Event, event))
	}
	switch event {
	case agent.HookClaim:
		return k.judgeTool(ctx)
	case agent.HookDone:
		return k.completed(ctx)
	case agent.HookStop:
		return k.turnEnded(ctx)
	case agent.HookSession:
		return k.sessionStarted(ctx)
	case agent.HookPrompt:
		return k.prompted(ctx)
	case agent.HookStatus:
		return k.statusLine(ctx)
	default:
		if agent.IsGate(event) {
			return cannotDecide(event, "there is no such hook")
		}
		return k.report(event)
	}
}

// permission returns the JSON that tells Claude Code whether a tool call may run. If input is not nil, it replaces
// the model's input.
func permission(decision, reason string, input any) string {
	type specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason,omitempty"`
		Input    any    `json:"updatedInput,omitempty"`
		Context  string `json:"additionalContext,omitempty"` // with an allow, this is the only reason that the agent sees
	}
	is := specific{Event: agent.HookClaim, Decision: decision, Reason: reason, Input: input}
	if decision == "allow" {
		is.Context = reason
	}
	raw, err := json.Marshal(map[string]specific{"hookSpecificOutput": is})
	if err != nil {
		panic(err) // cannot happen: strings can always be encoded
	}
	return string(raw) + "\n"
}
