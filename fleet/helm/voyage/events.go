package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// maxData bounds what a line of a log carries beside its text.
const maxData = 128 << 10

// events takes over records of the ship's journal. When it returns nil they are in the hub's log
// and the ship need not send them again. A ship that sends too much waits for the answer.
func (s *Ship) events(ctx context.Context, batch proto.Events) (any, error) {
	if err := s.feed.Lock(ctx); err != nil { // so a second call waits behind a first that waits
		return nil, err
	}
	defer s.feed.Unlock()
	wait, err := s.takeEvents(batch)
	if err == nil && wait > 0 {
		_ = retry.Sleep(ctx, wait)
	}
	return nil, err
}

// takeEvents takes over records. The caller holds s.feed.
func (s *Ship) takeEvents(batch proto.Events) (wait time.Duration, err error) {
	if s.logs == nil {
		return 0, errors.New("not ready")
	}
	lines := s.logLines(batch)
	size, full, err := s.logs.Append(lines)
	if err != nil {
		return 0, err
	}
	if full != "" {
		s.v.notes.Add(fleet.Note{Ship: s.name, Text: full})
	}
	s.applyRecords(lines)
	for i := range lines {
		s.takeProposal(lines[i])
		s.takeTamper(lines[i])
		if s.here && lines[i].Kind != "say" {
			s.v.lacks.Look(s.name, lines[i].Text)
		}
	}
	s.v.requestBoard()
	s.v.dispatcher.Soon()
	return reads2(s.v, func() (time.Duration, error) { return s.spendBudget(&s.logged, size), nil })
}

func (s *Ship) applyRecords(lines []fleet.LogLine) {
	changes(s.v, func() {
		for i := range lines {
			s.applyRecord(lines[i])
		}
	})
}

// farthest is how far away an end of a limit may be that is believed.
const farthest = 40 * 24 * time.Hour

// maxSkew is how far apart the clocks of hub and ship may seem because a message takes time.
const maxSkew = 2 * time.Second

// hubTime is when something happened on a ship, by the hub's clock: the lines of all ships stand in its order. sent is the
// ship's clock at the time that is now.
func hubTime(now, sent, at time.Time) time.Time {
	if skew := now.Sub(sent); !sent.IsZero() && skew.Abs() > maxSkew {
		at = at.Add(skew)
	}
	if at.After(now) {
		return now.UTC()
	}
	return at
}

// logLines makes log lines of the records that did not come before, when the answer was lost. The caller holds s.feed.
func (s *Ship) logLines(batch proto.Events) (lines []fleet.LogLine) {
	seq := s.logs.LastSeq()
	return reads(s.v, func() []fleet.LogLine {
		for _, e := range batch.Events {
			if e.Seq > seq {
				seq = e.Seq
				lines = append(lines, s.logLine(e, hubTime(time.Now(), batch.Now, e.At)))
			}
		}
		return lines
	})
}

// logLine makes a log line of a journal record. The caller holds s.feed and v.mu.
func (s *Ship) logLine(e proto.Event, at time.Time) fleet.LogLine {
	l := fleet.LogLine{At: at, Ship: s.name, Role: s.role, Kind: clean.Word(e.Kind), Journal: s.logs.Journal(), Seq: e.Seq}
	if e.Kind == proto.KindLog {
		var log proto.Log
		if err := json.Unmarshal(e.Data, &log); err == nil {
			l.Kind, l.Turn, l.Task, l.Text = clean.Word(log.Kind), s.v.spending.TurnOf(s.name, log.Turn, s.v.info.MaxTurns(s.role) > 0), clean.Word(log.Task), clean.Bound(log.Text, maxText)
			return l
		}
	}
	if len(e.Data) <= maxData {
		l.Data = e.Data
	}
	return l
}

// applyRecord updates what is known of the ship. The caller holds v.mu.
func (s *Ship) applyRecord(l fleet.LogLine) {
	k := &s.known
	if now := time.Now(); !s.restoring || l.At.After(now) {
		l.At = now // the ship's clock may be wrong; what is old is as old as it says
	}
	k.EventAt = l.At
	was := k.State.State
	acts := l.Kind != "say" && l.Kind != proto.KindUsage // talk and its price are no work
	if acts {
		k.ActAt = l.At
	}
	switch l.Kind {
	case "say":
		s.said, _, _ = strings.Cut(l.Text, "\n")
	case proto.KindAgentStarted:
		k.Exit = nil
		k.State, k.StateAt = proto.AgentState{State: proto.StateStarting}, l.At
	case proto.KindAgentExited:
		var e proto.AgentExited
		if json.Unmarshal(l.Data, &e) == nil {
			e.Reason, e.Signal = clean.Bound(e.Reason, 1<<10), clean.Word(e.Signal)
			k.Exit, k.ExitAt = &e, l.At
			if e.Final {
				s.v.followLimits(l.At, s.v.limits.Gone(&s.limit, l.At, s.restoring, rand.Float64()))
			}
			if e.Final && !s.restoring {
				s.v.jobs.Go(s.agentEnded)
			}
		}
	case proto.KindMail:
		s.mailed(l.Data)
	case proto.KindUsage:
		s.takeUsage(l)
	case proto.KindAgentState:
		var st proto.AgentState
		if json.Unmarshal(l.Data, &st) == nil && (!st.Late || !s.heedless()) {
			if st.State != k.State.State {
				k.StateAt = l.At
			}
			st.Task, st.Tool, st.Why, st.Session = clean.Word(st.Task), clean.Word(st.Tool), clean.Bound(st.Why, 1<<10), clean.Word(st.Session)
			st.Trouble = clean.Word(st.Trouble)
			if st.Until.Sub(l.At) > farthest {
				st.Until = time.Time{} // the ship's clock, or worse
			}
			s.v.followLimits(l.At, s.v.limits.Report(&s.limit, st, l.At, s.restoring, rand.Float64()))
			k.State = st
		}
	}
	if acts && (was != proto.StateWorking || k.State.State != proto.StateWorking) {
		s.CopySoon() // its work begins or ends, or helm did not know that it works
	}
}

// isNoted reports whether one more thing of the ship is written down now.
func (s *Ship) isNoted(at time.Time) bool {
	return reads(s.v, func() bool { return s.noted.AllowN(at, 1) })
}

// takeProposal shows the captain what an agent would like to change, if that is what a record tells.
func (s *Ship) takeProposal(l fleet.LogLine) {
	var p proto.Proposal
	if l.Kind != proto.KindProposal || json.Unmarshal(l.Data, &p) != nil || !s.isNoted(l.At) {
		return
	}
	is := fleet.Proposal{Ship: s.name, Task: clean.Word(p.Task), Text: lastBytes(clean.Bound(p.Text, maxText), 2000), Journal: l.Journal, Seq: l.Seq}
	edit, deleted, err := tasks.ReadEdit(is.Task, p.Input)
	switch {
	case err != nil:
		is.Flaw = err.Error()
	case deleted:
		is.Cancel = true
	default:
		is.Edit = &edit
	}
	s.v.propose(is)
}

// takeTamper tells the captain what was done to the ship's task files, if that is what a record tells; the ship has undone it. What a task
// is comes from the journal alone: nothing else is taken from a file.
func (s *Ship) takeTamper(l fleet.LogLine) {
	var t proto.Tamper
	if l.Kind != proto.KindTamper || json.Unmarshal(l.Data, &t) != nil || !s.isNoted(l.At) {
		return
	}
	what := clean.Word(t.What)
	if len(t.Fields) > 0 {
		what += " (" + clean.Bound(strings.Join(t.Fields[:min(len(t.Fields), 10)], ", "), 300) + ")"
	}
	s.v.notes.Add(fleet.Note{Ship: s.name, Task: clean.Word(t.Task), Text: "its task file was " + what + " by hand and restored: only claims and completions through ocaptain count"})
}

// agentEnded settles what an agent leaves behind that is not started again: it is
// proven gone, so its task goes to another ship. A completion under way goes first.
func (s *Ship) agentEnded() {
	if s.tree.Lock(s.ctx) != nil {
		return
	}
	defer s.tree.Unlock()
	e := reads(s.v, func() *proto.AgentExited { return s.known.Exit })
	if e != nil && e.Final { // else it was started again meanwhile
		_ = s.v.reclaim(rights.Journal, s.name, "the agent of "+s.name+" ended: "+e.Reason)
	}
}

// restore brings back what was known when helm ended, and shows the captain proposals that helm had not written down. The caller holds s.feed.
func (s *Ship) restore() {
	lines := s.logs.Recent()
	s.restoreState(lines)
	for _, l := range s.v.proposals.NotShown(s.name, lines) {
		s.takeProposal(l)
	}
}

func (s *Ship) restoreState(lines []fleet.LogLine) {
	changes(s.v, func() {
		s.restoring = true
		for _, l := range lines {
			s.applyRecord(l)
		}
		s.restoring = false
		s.resumeTurns()
		if e := s.known.Exit; e != nil && e.Final {
			s.v.jobs.Go(s.agentEnded) // helm may have ended before it could
		}
	})
}
