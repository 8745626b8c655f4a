// Package limits decides which ships wait because the service behind their agents has stopped them, and which of
// these ships tries again when. It also decides when helm tells an agent to go on after a turn that ended with an
// error.
package limits

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks/journal"
)

// Limits holds, by login, what keeps ships of a voyage back. The zero Limits keep no ship back. The methods use no
// clock and no randomness of their own; luck, from 0 to 1, spreads ships and hubs over time.
type Limits map[string]*Hold

// Add takes over a record of the journal. A record of another kind, or an unreadable record, changes nothing.
func (l *Limits) Add(r journal.Record) {
	var h Hold
	if r.Kind != facts.KindHold || json.Unmarshal(r.Data, &h) != nil {
		return
	}
	if h.Over {
		delete(*l, h.Login)
		return
	}
	l.set(&h)
}

func (l *Limits) set(h *Hold) {
	if *l == nil {
		*l = Limits{}
	}
	(*l)[h.Login] = h
}

// Records lists the journal records from which Add restores the limits.
func (l Limits) Records() (list []facts.Record) {
	for _, h := range l {
		list = append(list, facts.Record{Kind: facts.KindHold, Data: *h})
	}
	return list
}

// Ship is what limits remembers of a ship and the service behind its agent.
type Ship struct {
	Name    string
	Login   string        // the same for ships that share a login of the agent
	Longest time.Duration // longest time that a usage limit of its service lasts

	HeldBack bool      // a limit or an error of the service has stopped it, and it has not worked since
	Doubted  time.Time // when another ship last proved that the limit applies only to this one
	Tried    time.Time // when helm last told it to go on after an error
	Untold   int       // how often in a row helm could not tell it so
	Stumbles int       // how often helm told it to go on after an error that may be its own
}

// Effects are what helm has to do for a ship, or for no single ship if Ship is "", in the order of the fields.
type Effects struct {
	Ship    string
	Hold    *Hold    // to be journaled together with Text, within the ship's ration; nil for none
	Text    string   // for the captain, "" for nothing
	Doubted []string // ships whose reported limit applies only to them
	News    bool     // wake the ships that wait for work
	Again   bool     // call Look again
	Tell    bool     // tell the ship to go on
}

// MaxStumbles is how often helm tells an agent to go on after turns that failed for a reason that may be the agent's
// own. After that the agent waits for the captain.
const MaxStumbles = 3

// doubtTime is how long the next report of a ship counts only for itself, after its last reported limit proved to
// apply to it alone.
const doubtTime = time.Hour

// Report records what an agent's report says about its service. restored means that helm reads an old report again
// after a restart, which the limits already include.
func (l *Limits) Report(s *Ship, st proto.AgentState, at time.Time, restored bool, luck float64) Effects {
	if st.State != proto.StateLimited {
		s.Untold = 0 // a person, or a restart, has reached the agent
	}
	switch {
	case st.State == proto.StateLimited:
		return l.limited(s, st, at, restored, luck)
	case st.Late:
		return l.Gone(s, at, restored, luck) // no hook reported the end of the turn, so this does not prove that the service answered
	case st.State == proto.StateWorking && (st.Tool != "" || st.Task != ""), st.State == proto.StateIdle, st.State == proto.StateResting:
		s.Stumbles = 0
		return l.served(s, at, restored, luck) // a prompt alone does not prove that the service answers
	case st.State == proto.StateWaiting, st.State == proto.StateFailed:
		return l.Gone(s, at, restored, luck)
	}
	return Effects{}
}

// limited holds back the ship, and the other ships that use the same login.
func (l *Limits) limited(s *Ship, st proto.AgentState, at time.Time, restored bool, luck float64) Effects {
	again := s.HeldBack
	s.HeldBack = true
	if restored {
		return Effects{}
	}
	e := Effects{Ship: s.Name, Hold: (*l)[s.Login]}
	if e.Hold == nil {
		e.Hold = &Hold{Login: s.Login, Alone: at.Sub(s.Doubted) < doubtTime}
		e.Text = fmt.Sprintf("was stopped: %s; ships that share its login and meet it too go on by themselves, one first", resolve.Passing(at, st.Why, st.Until))
		l.set(e.Hold)
	}
	t := agentlog.Trouble{Kind: agentlog.TroubleKind(st.Trouble), Why: st.Why, Until: st.Until}
	e.Hold.Stopped(at, s.Name, t, again, s.Longest, luck)
	return e
}

// served records that the service answered the ship: it is no longer kept back, and the others follow.
func (l Limits) served(s *Ship, at time.Time, restored bool, luck float64) Effects {
	h, back := l[s.Login], s.HeldBack
	s.HeldBack = false
	if h == nil || restored {
		return Effects{}
	}
	e := Effects{Ship: s.Name, Hold: h, News: true}
	alone := h.Served(at, s.Name)
	if alone {
		for name := range h.Words {
			e.Doubted = append(e.Doubted, name)
		}
	}
	switch {
	case !back && !alone:
		return Effects{}
	case !back:
		return e
	}
	if !h.Since.IsZero() {
		e.Text = fmt.Sprintf("works again after %s: %s", at.Sub(h.Since).Round(time.Second), h.Why)
	}
	h.Worked(at, s.Name, luck)
	return e
}

// Gone stops keeping a ship back, because it now waits for something else or its agent has ended.
func (l Limits) Gone(s *Ship, at time.Time, restored bool, luck float64) Effects {
	back, h := s.HeldBack, l[s.Login]
	s.HeldBack = false
	if !back || h == nil || restored {
		return Effects{}
	}
	h.NoResultFrom(at, s.Name, luck)
	return Effects{Ship: s.Name, Hold: h, Again: true}
}

// Told records whether helm could tell an agent at that time to go on. If not, helm tries again less and less often.
func (l Limits) Told(s *Ship, ok bool, at time.Time, st proto.AgentState, luck float64) Effects {
	if ok {
		s.Untold = 0
		return Effects{}
	}
	s.Untold++
	h := l[s.Login]
	if h == nil || st.State != proto.StateLimited {
		return Effects{}
	}
	h.NoResultFrom(at, s.Name, luck)
	return Effects{Ship: s.Name, Hold: h}
}

// HoldsBack reports whether the ship should begin nothing new.
func (l Limits) HoldsBack(now time.Time, s *Ship) bool { return l[s.Login].HoldsBack(now, s.Name) }

// Begins records that the ship gets work while it is unknown whether a limit applies to all ships.
func (l Limits) Begins(now time.Time, s *Ship) { l[s.Login].Begins(now, s.Name) }

// Standing returns, for a ship that is kept back, when it will try again, how many tries were made, and which other
// ship tries now, "" for none. The time is zero for a ship that is not kept back.
func (l Limits) Standing(s *Ship) (at time.Time, tries int, by string) {
	h := l[s.Login]
	if h == nil || !s.HeldBack {
		return time.Time{}, 0, ""
	}
	if h.Ship != s.Name {
		by = h.Ship
	}
	return h.NextTry(s.Name), h.Tries, by
}

// leastTries is how many tries in a row must fail before RefusedSince reports them.
const leastTries = 3

// RefusedSince returns since when the service has refused the ship although the limit that it reported is over. It is
// zero if the service does not refuse the ship, or has announced when it will stop.
func (l Limits) RefusedSince(s *Ship, now time.Time) time.Time {
	h := l[s.Login]
	if h == nil || !s.HeldBack || h.Tries < leastTries || h.Since.IsZero() || h.Until.After(now) {
		return time.Time{}
	}
	return later(h.Since, h.Until)
}
