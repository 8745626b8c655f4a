package voyage

import (
	"math/rand/v2"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/limits"
)

// followLimits carries out what follows from the limits of services. The caller holds v.mu.
func (v *Voyage) followLimits(now time.Time, e limits.Effects) {
	s, ration := v.ships[e.Ship], v.noted
	if s != nil {
		ration = s.Noted // a ship that reports again and again must not fill the journal
	}
	isNoted := e.Hold == nil
	if !isNoted && ration.AllowN(now, 1) {
		v.Book.Add(facts.KindHold, *e.Hold)
		isNoted = true
	}
	if isNoted && e.Text != "" {
		v.Notes.Add(fleet.Note{Ship: e.Ship, Text: e.Text})
	}
	for _, name := range e.Doubted {
		if s := v.ships[name]; s != nil {
			s.limit.Doubted = now
		}
	}
	if e.News {
		v.News.Send()
	}
	if e.Again {
		v.poke.Send()
	}
	if e.Tell && s != nil {
		v.Go(func() { s.tellToGoOn(now) })
	}
}

// resumeLocked tells limited ships whose time has come to go on. The caller holds v.mu.
func (v *Voyage) resumeLocked(now time.Time) {
	var seen []limits.Seen
	for _, s := range v.ships {
		is := s.activity()
		seen = append(seen, limits.Seen{Ship: &s.limit, State: s.known.State, StateAt: s.known.StateAt, Reached: is.Reached(), Listens: is.Reached() && s.mail == 0, Paused: s.Paused(now) != ""})
	}
	is := limits.Voyage{
		Awake: v.common.Awake(now), Closed: v.Kind.Closed(v.Roster.Now().Phase) != nil, Paused: v.Spending.Paused(now) != "", Restored: v.restoredLocked(),
	}
	if len(v.limits) > 0 {
		v.Paint.Send() // the board shows the time that is left
	}
	for _, e := range v.limits.Look(now, seen, is, rand.Float64) {
		v.followLimits(now, e)
	}
}

// restoredLocked reports whether helm, after its start, has restored what all ships had reported. The caller holds v.mu.
func (v *Voyage) restoredLocked() bool {
	for _, f := range v.Roster.Now().Ships {
		if s := v.ships[f.Name]; f.Phase == fleet.Afloat && (s == nil || !s.restored) {
			return false
		}
	}
	return true
}

// tellToGoOn makes the agent go on, now. A dialog that just came up on its screen may swallow the
// first message.
func (s *Ship) tellToGoOn(now time.Time) {
	began := time.Now()
	var said api.Said
	var err error
	for range 2 {
		if said, err = s.sendMessage(s.Context, told.AfterError); err == nil && said.Submitted {
			break
		}
	}
	ok := err == nil && said.Submitted
	changes(s.v, func() {
		now = now.Add(time.Since(began))
		s.v.followLimits(now, s.v.limits.Told(&s.limit, ok, now, s.known.State, rand.Float64()))
		if !ok && s.Context.Err() == nil {
			s.v.Log.Warn("agent was not told to go on", "ship", s.Name, "error", err)
		}
	})
}
