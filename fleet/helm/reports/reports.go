// Package reports reads the reports of ships: it bounds texts and converts times to the hub's clock. It uses no lock,
// no clock and no disk.
package reports

import (
	"encoding/json"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

const (
	maxWhy  = 1 << 10   // bounds a reason
	maxData = 128 << 10 // bounds the data of a log line other than its text
)

// maxSkew is how far apart the clocks of hub and ship may seem because a message takes time.
const maxSkew = 2 * time.Second

// HubTime converts the time of an event on a ship to the hub's clock, so that the lines of all ships are in order. sent is the ship's time
// when the hub's is now.
func HubTime(now, sent, at time.Time) time.Time {
	if skew := now.Sub(sent); !sent.IsZero() && skew.Abs() > maxSkew {
		at = at.Add(skew)
	}
	if at.After(now) {
		return now.UTC()
	}
	return at
}

// From is the ship whose journal has the records.
type From struct {
	Ship, Role string
	Journal    string
	Turn       func(turn int) int // converts the machine's running turn count
}

// Line makes a log line of a record.
func (f From) Line(e proto.Event, at time.Time) fleet.LogLine {
	l := fleet.LogLine{At: at, Ship: f.Ship, Role: f.Role, Kind: clean.Word(e.Kind), Journal: f.Journal, Seq: e.Seq}
	if e.Kind == proto.KindLog {
		var log proto.Log
		if err := json.Unmarshal(e.Data, &log); err == nil {
			l.Kind, l.Turn, l.Task, l.Text = clean.Word(log.Kind), f.Turn(log.Turn), clean.Word(log.Task), clean.Bound(log.Text, clean.MaxText)
			return l
		}
	}
	if len(e.Data) <= maxData {
		l.Data = e.Data
	}
	return l
}

// Proposal returns the proposal of an agent in a log line, if there is one.
func Proposal(l fleet.LogLine) (is fleet.Proposal, ok bool) {
	var p proto.Proposal
	if l.Kind != proto.KindProposal || json.Unmarshal(l.Data, &p) != nil {
		return is, false
	}
	is = fleet.Proposal{Ship: l.Ship, Task: clean.Word(p.Task), Text: clean.Bound(p.Text, clean.MaxText), Journal: l.Journal, Seq: l.Seq}
	edit, deleted, err := tasks.ReadEdit(is.Task, p.Input)
	switch {
	case err != nil:
		is.Flaw = err.Error()
	case deleted:
		is.Cancel = true
	default:
		is.Edit = &edit
	}
	return is, true
}

// Tamper returns a note if the log line reports that somebody has changed the ship's task files. The ship has undone
// the change, and helm uses nothing of it.
func Tamper(l fleet.LogLine) (n fleet.Note, ok bool) {
	var t proto.Tamper
	if l.Kind != proto.KindTamper || json.Unmarshal(l.Data, &t) != nil {
		return n, false
	}
	what := clean.Word(t.What)
	if len(t.Fields) > 0 {
		what += " (" + clean.Bound(strings.Join(t.Fields[:min(len(t.Fields), 10)], ", "), 300) + ")"
	}
	return fleet.Note{Ship: l.Ship, Task: clean.Word(t.Task), Text: "its task file was " + what + " by hand and restored: only claims and completions through ocaptain count"}, true
}

// Pulse bounds the texts of a pulse.
func Pulse(p proto.Pulse) proto.Pulse {
	p.Title, p.Screen, p.Retry = clean.Word(p.Title), clean.Word(p.Screen), clean.Word(p.Retry)
	p.Index = proto.Index{
		Files: max(p.Index.Files, 0), LeftOut: max(p.Index.LeftOut, 0), Broken: clean.Word(p.Index.Broken),
		Chunks: max(p.Index.Chunks, 0), Vectors: max(p.Index.Vectors, 0), Unmeant: clean.Word(p.Index.Unmeant), Hound: clean.Word(p.Index.Hound),
	}
	return p
}
