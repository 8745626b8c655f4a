package limits

import (
	"fmt"
	"time"

	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// Seen is what helm sees of a ship in one look.
type Seen struct {
	*Ship
	State   proto.AgentState
	StateAt time.Time
	Reached bool // its agent lives and can get messages
	Listens bool // its agent can get a message now
	Paused  bool
}

// Voyage is what helm sees of the voyage in one look.
type Voyage struct {
	Awake    time.Time // since when the hub has been awake
	Closed   bool      // ships begin nothing any more
	Paused   bool
	Restored bool // after a restart, helm has read the old reports of all ships
}

// Look decides which ships helm tells to go on now, and drops limits that keep no ship back any more.
func (l *Limits) Look(now time.Time, seen []Seen, v Voyage, luck func() float64) (all []Effects) {
	for _, h := range *l {
		h.Believe(now)
	}
	held, able := map[string]bool{}, map[string]bool{} // by login: whether a ship is kept back, and whether one can try, perhaps later
	waiting := map[string]*Ship{}                      // by login, the ship that should try next
	for i := range seen {
		s := &seen[i]
		if s.HeldBack {
			held[s.Login] = true
			if (*l)[s.Login] == nil { // helm ended before it had journaled the limit
				s.HeldBack = false
				all = append(all, l.limited(s.Ship, s.State, now, false, luck()))
			}
			if s.couldTry() {
				able[s.Login] = true
			}
		}
		if !s.Listens {
			continue
		}
		if s.HeldBack && s.State.State == proto.StateLimited && now.Sub(s.Tried) >= facts.PauseAfter(s.Untold, 0) && !now.Before((*l)[s.Login].NextTry(s.Name)) {
			if best := waiting[s.Login]; best == nil || s.before(best) {
				waiting[s.Login] = s.Ship
			}
		}
		if e, stumbled := s.stumbled(now, v.Closed); stumbled {
			all = append(all, e)
		}
	}
	for login, h := range *l {
		s := waiting[login]
		if h.Ship != "" { // its report may have been delayed while the hub slept
			h.Tried = later(h.Tried, v.Awake)
		}
		switch {
		case !held[login] && !v.Restored: // it is not known yet which ships are kept back
		case !held[login]:
			h.Over = true
			delete(*l, login)
			all = append(all, Effects{Hold: h, News: true})
		case v.Closed || v.Paused || !h.MayTellNow(now):
		case s != nil:
			h.NoteTold(now, s.Name, luck())
			s.Tried = now
			all = append(all, Effects{Ship: s.Name, Hold: h, Tell: true})
		case !able[login] && !h.Free:
			h.AllGone(now, luck())
			all = append(all, Effects{Hold: h, News: true})
		}
	}
	return all
}

// before orders the ships that could try: first the ship that has not tried for longest.
func (s *Ship) before(t *Ship) bool {
	if !s.Tried.Equal(t.Tried) {
		return s.Tried.Before(t.Tried)
	}
	return s.Name < t.Name
}

// couldTry reports whether a ship that is kept back can try: its agent lives, and has not missed several messages.
func (s *Seen) couldTry() bool {
	return s.Reached && s.State.State == proto.StateLimited && s.Untold < MaxStumbles
}

// stumbled returns the effects that make an agent go on after its turn ended with an error that does not pass by
// waiting. It does so MaxStumbles times.
func (s *Seen) stumbled(now time.Time, closed bool) (Effects, bool) {
	if s.State.State != proto.StateFailed || s.State.Trouble != string(agentlog.TroubleTurn) || closed || s.Paused {
		return Effects{}, false
	}
	if s.Stumbles >= MaxStumbles || now.Sub(later(s.Tried, s.StateAt)) < facts.PauseAfter(s.Stumbles, 0.5) {
		return Effects{}, false
	}
	s.Stumbles++
	s.Tried = now
	e := Effects{Ship: s.Name, Tell: true}
	if s.Stumbles == MaxStumbles {
		e.Text = fmt.Sprintf("is told to go on for the last time, as its turns end with an error: %s", s.State.Why)
	}
	return e, true
}
