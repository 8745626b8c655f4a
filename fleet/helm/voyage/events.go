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
	"ocaptain/fleet/helm/reports"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// events takes records of the ship's journal. When it returns nil they are in the hub's log, and the ship need not send them again. A ship
// that sends too much waits for the answer.
func (s *Ship) events(ctx context.Context, batch proto.Events) (any, error) {
	if err := s.feed.Lock(ctx); err != nil { // a call that waits makes the next ones wait, too
		return nil, err
	}
	defer s.feed.Unlock()
	wait, err := s.takeEvents(batch)
	if err == nil && wait > 0 {
		_ = retry.Sleep(ctx, wait)
	}
	return nil, err
}

// takeEvents takes records. The caller holds s.feed.
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
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: full})
	}
	changes(s.v, func() {
		for i := range lines {
			s.applyRecord(lines[i])
		}
	})
	for i := range lines {
		s.takeProposal(lines[i])
		if n, ok := reports.Tamper(lines[i]); ok && s.Noted.AllowN(lines[i].At, 1) {
			s.v.Notes.Add(n)
		}
		if s.Here && lines[i].Kind != "say" {
			s.v.lacks.Look(s.Name, lines[i].Text)
		}
	}
	s.v.Paint.Send()
	s.v.Dispatcher.Soon()
	return s.Spend(ship.Log, size), nil
}

// logLines makes log lines of the records that are new: a ship whose answer was lost sends records again. The caller holds s.feed.
func (s *Ship) logLines(batch proto.Events) (lines []fleet.LogLine) {
	seq := s.logs.LastSeq()
	from := reports.From{Ship: s.Name, Role: s.Role, Journal: s.logs.Journal(), Turn: func(n int) int {
		return s.v.Spending.TurnOf(s.Name, n, s.v.Info.MaxTurns(s.Role) > 0)
	}}
	for _, e := range batch.Events {
		if e.Seq > seq {
			seq = e.Seq
			lines = append(lines, from.Line(e, reports.HubTime(time.Now(), batch.Now, e.At)))
		}
	}
	return lines
}

// applyRecord updates the ship's known state. The caller holds v.mu.
func (s *Ship) applyRecord(l fleet.LogLine) {
	if now := time.Now(); !s.restoring || l.At.After(now) {
		l.At = now // the ship's clock may be wrong; restored records have the hub's time already
	}
	c := reports.Apply(&s.known, l)
	switch l.Kind {
	case "say":
		said, _, _ := strings.Cut(l.Text, "\n")
		s.Change(func(is *ship.State) { is.Said = said })
	case proto.KindMail:
		var m proto.Mail
		if json.Unmarshal(l.Data, &m) == nil {
			s.v.Post.Take(s.Name, m)
		}
	case proto.KindUsage:
		s.takeUsage(l)
	}
	if c.Ended {
		s.v.followLimits(l.At, s.v.limits.Gone(&s.limit, l.At, s.restoring, rand.Float64()))
		if !s.restoring {
			s.v.Go(s.agentEnded)
		}
	}
	if c.State != nil {
		s.v.followLimits(l.At, s.v.limits.Report(&s.limit, *c.State, l.At, s.restoring, rand.Float64()))
	}
	if c.Turns {
		s.Copies.Soon()
	}
}

// takeProposal adds the proposal in a log line, if there is one, to the captain's list.
func (s *Ship) takeProposal(l fleet.LogLine) {
	if p, ok := reports.Proposal(l); ok && s.Noted.AllowN(l.At, 1) {
		p.Ship, p.Text = s.Name, clean.Tail(p.Text, 2000)
		s.v.propose(p)
	}
}

// agentEnded requeues the task of an agent that has ended for good: this proves that the agent no longer works. It
// first waits for a completion under way.
func (s *Ship) agentEnded() {
	if s.Busy.Lock(s.Context) != nil {
		return
	}
	defer s.Busy.Unlock()
	e := reads(s.v, func() *proto.AgentExited { return s.known.Exit })
	if e != nil && e.Final { // otherwise it was started again meanwhile
		_ = s.v.claims.Reclaim(rights.Journal, s.Name, "the agent of "+s.Name+" ended: "+e.Reason)
	}
}

// restore restores the ship's state as it was when helm ended, and adds proposals that helm had not journaled. The
// caller holds s.feed.
func (s *Ship) restore() {
	lines := s.logs.Recent()
	s.restoreState(lines)
	for _, l := range s.v.Proposals.NotShown(s.Name, lines) {
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
			s.v.Go(s.agentEnded) // helm may have ended before it did this
		}
	})
}
