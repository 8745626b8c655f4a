// Package limits decides which ships wait for the service behind their agents, which of them tries when, and what agents are told whose turns
// end with an error.
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

// Limits are what keeps ships of a voyage back, by their login. The zero Limits keep none back. Its methods depend on nothing but their
// arguments; luck, from 0 to 1, spreads ships and hubs over time.
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

// Records lists the records from which the limits come about again.
func (l Limits) Records() (list []facts.Record) {
	for _, h := range l {
		list = append(list, facts.Record{Kind: facts.KindHold, Data: *h})
	}
	return list
}

// Ship is how the service behind a ship's agent treats it.
type Ship struct {
	Name    string
	Login   string        // the same for ships that share a login of the agent
	Longest time.Duration // that a usage limit of its service lasts

	HeldBack bool      // a limit or the service stopped it, and it has not worked since
	Doubted  time.Time // when it was last seen that a limit is met by this ship alone
	Tried    time.Time // when it was last told to go on after an error
	Untold   int       // how often, in a row, it could not be
	Stumbles int       // how often, for errors that may be its own
}

// Effects are what follows for a ship, "" for none in particular. They are carried out in this order.
type Effects struct {
	Ship    string
	Hold    *Hold    // is written down as far as the ration goes, and Text is told with it; nil for none
	Text    string   // for the captain, "" for nothing
	Doubted []string // ships that met a limit alone
	News    bool     // waiting ships look again
	Again   bool     // the ships that are held back are looked at again
	Tell    bool     // the ship is told to go on
}

// MaxStumbles is how often an agent whose turn failed, for a reason that may be its own, is told to go on. After that it waits for the
// captain.
const MaxStumbles = 3

// doubtTime is how long a ship that alone met a limit is believed about itself alone.
const doubtTime = time.Hour

// Report takes in what a report of a ship's agent says about the service behind it. What is restored is old: the limits know of it.
func (l *Limits) Report(s *Ship, st proto.AgentState, at time.Time, restored bool, luck float64) Effects {
	if st.State != proto.StateLimited {
		s.Untold = 0 // somebody, or a new start, has reached it
	}
	switch {
	case st.State == proto.StateLimited:
		return l.limited(s, st, at, restored, luck)
	case st.Late:
		return l.Gone(s, at, restored, luck) // its work ended without a word: that it was served is not said
	case st.State == proto.StateWorking && (st.Tool != "" || st.Task != ""), st.State == proto.StateIdle, st.State == proto.StateResting:
		s.Stumbles = 0
		return l.served(s, at, restored, luck) // to be told something proves nothing yet
	case st.State == proto.StateWaiting, st.State == proto.StateFailed:
		return l.Gone(s, at, restored, luck)
	}
	return Effects{}
}

// limited holds the ship back, and the ships that share its login.
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

// served ends what held the ship back, and lets the others follow.
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

// Gone ends the holding back of a ship: the ship now waits for something else, or its agent has ended.
func (l Limits) Gone(s *Ship, at time.Time, restored bool, luck float64) Effects {
	back, h := s.HeldBack, l[s.Login]
	s.HeldBack = false
	if !back || h == nil || restored {
		return Effects{}
	}
	h.NoResultFrom(at, s.Name, luck)
	return Effects{Ship: s.Name, Hold: h, Again: true}
}

// Told takes in whether an agent could be told to go on, which was tried at a time. An agent that could not is told less and less often.
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

// Begins records that the ship gets work while it is in doubt whether a limit holds all.
func (l Limits) Begins(now time.Time, s *Ship) { l[s.Login].Begins(now, s.Name) }

// Standing returns when a ship that is held back is to try, after how many tries, and the ship that tries in its place, "" for none. The time
// is zero for a ship that is not held back.
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

// leastTries is how many tries in a row fail before that is said of a ship which its service refuses.
const leastTries = 3

// RefusedSince is since when its service refuses the ship although, by the service's own word, it should not; zero when it does not, or
// will not for long.
func (l Limits) RefusedSince(s *Ship, now time.Time) time.Time {
	h := l[s.Login]
	if h == nil || !s.HeldBack || h.Tries < leastTries || h.Since.IsZero() || h.Until.After(now) {
		return time.Time{}
	}
	return later(h.Since, h.Until)
}
