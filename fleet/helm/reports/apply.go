package reports

import (
	"encoding/json"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// maxUntil is how far away the end of a limit may be that helm believes.
const maxUntil = 40 * 24 * time.Hour

// Change says what a log line changes in a ship's known state.
type Change struct {
	State *proto.AgentState // the state that its agent reported
	Ended bool              // its agent has ended and is not started again
	Turns bool              // its work begins or ends, or helm did not know of it
}

// Apply applies a line of a ship's log to the ship's known state.
func Apply(k *resolve.Known, l fleet.LogLine) (c Change) {
	was := k.State.State
	acts := l.Kind != "say" && l.Kind != proto.KindUsage // what the agent says, and its usage, do not count as work
	if k.EventAt = l.At; acts {
		k.ActAt = l.At
	}
	switch l.Kind {
	case proto.KindAgentStarted:
		k.Exit = nil
		k.State, k.StateAt = proto.AgentState{State: proto.StateStarting}, l.At
	case proto.KindAgentExited:
		var e proto.AgentExited
		if json.Unmarshal(l.Data, &e) == nil {
			e.Reason, e.Signal = clean.Bound(e.Reason, maxWhy), clean.Word(e.Signal)
			k.Exit, k.ExitAt, c.Ended = &e, l.At, e.Final
		}
	case proto.KindAgentState:
		var st proto.AgentState
		if json.Unmarshal(l.Data, &st) != nil || st.Late && was != proto.StateWorking && was != proto.StateStarting {
			break // a late report that the agent is idle adds nothing: helm knows already how the turn ended
		}
		if st.State != was {
			k.StateAt = l.At
		}
		st.Task, st.Tool, st.Why, st.Session = clean.Word(st.Task), clean.Word(st.Tool), clean.Bound(st.Why, maxWhy), clean.Word(st.Session)
		st.Trouble = clean.Word(st.Trouble)
		if st.Until.Sub(l.At) > maxUntil {
			st.Until = time.Time{} // the ship's clock is wrong, or worse
		}
		k.State, c.State = st, &st
	}
	c.Turns = acts && (was != proto.StateWorking || k.State.State != proto.StateWorking)
	return c
}
