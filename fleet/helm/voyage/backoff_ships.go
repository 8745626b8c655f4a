package voyage

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// maxStumbles is how often an agent whose turn failed, for a reason that may be its
// own, is told to go on. After that it waits for the captain.
const maxStumbles = 3

// takeServiceReport takes in what a report of the agent says about the service behind it. The
// caller holds v.mu, and has not yet made the state known.
func (s *Ship) takeServiceReport(st proto.AgentState, at time.Time) {
	if st.State != proto.StateLimited {
		s.untold = 0 // somebody, or a new start, has reached it
	}
	switch {
	case st.State == proto.StateLimited:
		s.limited(st, at)
	case st.Late:
		s.unheld(at) // its work ended without a word: that it was served is not said
	case st.State == proto.StateWorking && (st.Tool != "" || st.Task != ""), st.State == proto.StateIdle, st.State == proto.StateResting:
		s.stumbles = 0
		s.endHold(at) // it was served: to be told something proves nothing yet
	case st.State == proto.StateWaiting, st.State == proto.StateFailed:
		s.unheld(at)
	}
}

// heedless reports whether a late word that the agent is idle says nothing: its turn has
// ended already, and how it ended is known. The caller holds v.mu.
func (s *Ship) heedless() bool {
	st := s.known.State.State
	return st != proto.StateWorking && st != proto.StateStarting
}

// limited holds the ship back, and the ships that share its login. The caller holds v.mu.
func (s *Ship) limited(st proto.AgentState, at time.Time) {
	again := s.heldBack
	s.heldBack = true
	if s.restoring {
		return // the hold is in the voyage's journal
	}
	h := s.v.facts.Holds[s.login]
	begins := h == nil
	if begins {
		h = &facts.Hold{Login: s.login, Alone: at.Sub(s.doubted) < doubtTime}
		s.v.facts.Holds.Set(h)
	}
	t := agentlog.Trouble{Kind: agentlog.TroubleKind(st.Trouble), Why: st.Why, Until: st.Until}
	h.Stopped(at, s.name, t, again, s.agent.LongestLimit(), rand.Float64())
	text := ""
	if begins {
		text = fmt.Sprintf("was stopped: %s; ships that share its login and meet it too go on by themselves, one first", resolve.Passing(at, st.Why, st.Until))
	}
	s.keepHold(h, at, text)
}

// keepHold writes a hold down that a report of the ship has changed, and tells the
// captain. A ship that reports without end is not written down every time. The caller
// holds v.mu.
func (s *Ship) keepHold(h *facts.Hold, at time.Time, text string) {
	if !s.noted.AllowN(at, 1) {
		return
	}
	s.v.book.Add(facts.KindHold, *h)
	if text != "" {
		s.v.addNote(fleet.Note{Ship: s.name, Text: text})
	}
}

// endHold ends what held the ship back, and lets the others follow. The caller holds v.mu.
func (s *Ship) endHold(at time.Time) {
	h := s.v.facts.Holds[s.login]
	alone := h != nil && !s.restoring && h.Served(at, s.name)
	if alone {
		s.v.noteDoubtedLimit(h, at)
	}
	if !s.heldBack {
		if alone {
			s.keepHold(h, at, "")
			s.v.news.Send()
		}
		return
	}
	s.heldBack = false
	if h != nil && !s.restoring {
		text := ""
		if !h.Since.IsZero() {
			text = fmt.Sprintf("works again after %s: %s", at.Sub(h.Since).Round(time.Second), h.Why)
		}
		h.Worked(at, s.name, rand.Float64())
		s.keepHold(h, at, text)
		s.v.news.Send() // waiting ships may claim again
	}
}

// doubtTime is how long a ship that alone met a limit is believed about itself alone.
const doubtTime = time.Hour

// noteDoubtedLimit notes of the only ship that met a limit that others are served. The caller holds v.mu.
func (v *Voyage) noteDoubtedLimit(h *facts.Hold, at time.Time) {
	for name := range h.Words {
		if s := v.ships[name]; s != nil {
			s.doubted = at
		}
	}
}

// unheld takes the ship out of the held ships: it now waits for something else, or is gone. The
// caller holds v.mu.
func (s *Ship) unheld(at time.Time) {
	if !s.heldBack {
		return
	}
	s.heldBack = false
	if h := s.v.facts.Holds[s.login]; h != nil && !s.restoring {
		h.NoResultFrom(at, s.name, rand.Float64())
		s.keepHold(h, at, "")
		s.v.poke.Send()
	}
}

// resumeLocked tells the ships to go on whose time has come. The caller holds v.mu.
func (v *Voyage) resumeLocked(now time.Time) {
	waiting := map[string]*Ship{} // by login, the ship that should try
	for _, h := range v.facts.Holds {
		h.Believe(now)
	}
	held := map[string]bool{}
	able := map[string]bool{} // a held ship can try, though perhaps not now
	for _, s := range v.ships {
		if s.heldBack {
			held[s.login] = true
			if v.facts.Holds[s.login] == nil { // helm ended before it could write it down
				s.heldBack = false
				s.limited(s.known.State, now)
			}
			if s.couldTry() {
				able[s.login] = true
			}
		}
		if !s.listens() {
			continue
		}
		if s.heldBack && s.known.State.State == proto.StateLimited && now.Sub(s.tried) >= facts.PauseAfter(s.untold, 0) &&
			!now.Before(v.facts.Holds[s.login].NextTry(s.name)) {
			if best := waiting[s.login]; best == nil || s.before(best) {
				waiting[s.login] = s
			}
		}
		s.stumbledLocked(now)
	}
	for name, h := range v.facts.Holds {
		s := waiting[name]
		if h.Ship != "" { // what it came to while the hub slept is not known yet
			h.Tried = latest(h.Tried, v.set.awake.since(now))
		}
		switch {
		case !held[name] && !v.restoredLocked(): // who is held is not known yet
		case !held[name]:
			h.Over = true
			delete(v.facts.Holds, name)
			v.keepHold(h, now)
			v.news.Send()
		case v.kind.Closed(v.fleet.Phase) != nil || v.spending.Paused(now) != "" || !h.MayTellNow(now):
		case s != nil:
			h.NoteTold(now, s.name, rand.Float64())
			s.keepHold(h, now, "")
			s.tried = now
			s.v.jobs.Go(func() { s.tellToGoOn(now) })
		case !able[name] && !h.Free:
			h.AllGone(now, rand.Float64())
			v.keepHold(h, now)
			v.news.Send()
		}
		v.requestBoard() // the time that is left is on the board
	}
}

// restoredLocked reports whether helm, which began a moment ago, knows again of all ships
// what they told before. The caller holds v.mu.
func (v *Voyage) restoredLocked() bool {
	for _, f := range v.fleet.Ships {
		if s := v.ships[f.Name]; f.Phase == fleet.Afloat && (s == nil || !s.restored) {
			return false
		}
	}
	return true
}

// keepHold saves a hold that no ship has changed. Facts that it leaves out show again when helm
// restarts. The caller holds v.mu.
func (v *Voyage) keepHold(h *facts.Hold, now time.Time) {
	if v.noted.AllowN(now, 1) {
		v.book.Add(facts.KindHold, *h)
	}
}

// before orders the ships that could try: first the ship that has not tried for longest.
func (s *Ship) before(t *Ship) bool {
	if !s.tried.Equal(t.tried) {
		return s.tried.Before(t.tried)
	}
	return s.name < t.name
}

// reached reports whether the agent lives and something could be said to it. The caller
// holds v.mu.
func (s *Ship) reached() bool {
	k := s.known
	return s.agent.Talks && s.conn != nil && k.Exit == nil && k.Pulse.Agent
}

// listens reports whether the agent could be told something now. The caller holds v.mu.
func (s *Ship) listens() bool { return s.reached() && s.mail == 0 }

// couldTry reports whether a held ship can be the ship that tries, and has not ignored repeated
// messages. The caller holds v.mu.
func (s *Ship) couldTry() bool {
	return s.reached() && s.known.State.State == proto.StateLimited && s.untold < maxStumbles
}

// tellToGoOn makes the agent go on, now. A dialog that just came up on its screen may swallow the
// first message. It tries an unreachable agent less and less often.
func (s *Ship) tellToGoOn(now time.Time) {
	began := time.Now()
	var said api.Said
	var err error
	for range 2 {
		if said, err = s.sendMessage(s.ctx, told.AfterError); err == nil && said.Submitted {
			break
		}
	}
	told := err == nil && said.Submitted
	changes(s.v, func() {
		if told {
			s.untold = 0
			return
		}
		s.untold++
		now = now.Add(time.Since(began))
		if h := s.v.facts.Holds[s.login]; h != nil && s.known.State.State == proto.StateLimited {
			h.NoResultFrom(now, s.name, rand.Float64())
			s.keepHold(h, now, "")
		}
		if s.ctx.Err() == nil {
			s.v.log.Warn("agent was not told to go on", "ship", s.name, "error", err)
		}
	})
}

// stumbledLocked tells an agent to go on whose turn ended with an error that is no
// matter of waiting, a few times. The caller holds v.mu.
func (s *Ship) stumbledLocked(now time.Time) {
	k := s.known
	if k.State.State != proto.StateFailed || k.State.Trouble != string(agentlog.TroubleTurn) || s.v.kind.Closed(s.v.fleet.Phase) != nil || s.paused(now) != "" {
		return
	}
	if s.stumbles >= maxStumbles || now.Sub(latest(s.tried, k.StateAt)) < facts.PauseAfter(s.stumbles, 0.5) {
		return
	}
	s.stumbles++
	s.tried = now
	if s.stumbles == maxStumbles {
		s.v.addNote(fleet.Note{Ship: s.name, Text: fmt.Sprintf("is told to go on for the last time, as its turns end with an error: %s", k.State.Why)})
	}
	s.v.jobs.Go(func() { s.tellToGoOn(now) })
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// standing is what the board says of a ship that is held back. The caller holds v.mu.
func (s *Ship) standing(k *resolve.Known) {
	h := s.v.facts.Holds[s.login]
	if h == nil || !s.heldBack || s.agent.Turns { // an agent that takes turns tries by itself
		return
	}
	k.TryAt, k.Tries = h.NextTry(s.name), h.Tries
	if h.Ship != s.name {
		k.TryBy = h.Ship
	}
}

// leastTries is how many tries in a row fail before that is said of a ship which its service refuses.
const leastTries = 3

// refusedSince is since when its service refuses the ship although, by the service's own word, it should not; zero when it does not, or
// will not for long. The caller holds v.mu.
func (s *Ship) refusedSince(now time.Time) time.Time {
	h := s.v.facts.Holds[s.login]
	if h == nil || !s.heldBack || h.Tries < leastTries || h.Since.IsZero() || h.Until.After(now) {
		return time.Time{}
	}
	return latest(h.Since, h.Until)
}
