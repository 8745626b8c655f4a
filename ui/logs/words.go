package logs

import (
	"encoding/json"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

// inWords returns the text of a record, clean to show.
func inWords(l fleet.LogLine) string {
	return clean.Text(strings.TrimRight(recordText(l), " \t\r\n"))
}

// recordText returns the text of a record: its own, or its data in words. It is empty for a record
// that only helm needs.
func recordText(l fleet.LogLine) string {
	if l.Text != "" {
		return l.Text
	}
	switch l.Kind {
	case proto.KindAgentStarted:
		var s proto.AgentStarted
		if json.Unmarshal(l.Data, &s) != nil {
			return ""
		}
		text := "agent " + s.Agent + " starts"
		if s.Resumed {
			text += ", taking its session up again"
		}
		if s.Start > 1 {
			text += fmt.Sprintf(", start %d", s.Start)
		}
		return text
	case proto.KindAgentExited:
		var e proto.AgentExited
		if json.Unmarshal(l.Data, &e) != nil {
			return ""
		}
		return exitText(e)
	case proto.KindAgentState:
		var s proto.AgentState
		if json.Unmarshal(l.Data, &s) != nil {
			return ""
		}
		switch s.State { // what the agent says and does shows the other states
		case proto.StateWaiting, proto.StateFailed, proto.StateLimited, proto.StateResting:
			why := s.Why
			if !s.Until.IsZero() {
				why += ", until " + s.Until.Local().Format("Jan 2 15:04")
			}
			return strings.TrimSuffix(string(s.State)+": "+why, ": ")
		}
	case proto.KindTamper:
		var t proto.Tamper
		if json.Unmarshal(l.Data, &t) != nil {
			return ""
		}
		return fmt.Sprintf("task %s was changed behind the store's back: %s", t.Task, t.What)
	case proto.KindProposal:
		var p proto.Proposal
		if json.Unmarshal(l.Data, &p) != nil {
			return ""
		}
		return "proposes: " + p.Text
	}
	return ""
}

func exitText(e proto.AgentExited) string {
	text := fmt.Sprintf("agent exits with code %d", e.Code)
	if e.Signal != "" {
		text = "agent was killed by " + e.Signal
	}
	switch {
	case e.Reason != "":
		text += ": " + e.Reason
	case !e.Final:
		text += ", and is started again"
	}
	return text
}
