package voyage

import (
	"time"

	"ocaptain/fleet/proto"
)

// setAsideLocked has stale work in the ship's tree parked. The caller holds v.mu.
func (s *Ship) setAsideLocked(now time.Time) {
	if s.settingAside || now.Before(s.asideAfter) || !s.isDone(now) || s.v.Requests.Stale(s.Ship) == nil {
		return
	}
	s.settingAside = true
	s.v.Go(func() {
		err := s.v.Requests.SetAside(s.Ship)
		changes(s.v, func() {
			s.settingAside = false
			if err != nil {
				s.asideAfter = time.Now().Add(rouseAgain)
				s.v.Log.Warn("set aside", "ship", s.Name, "error", err)
			}
		})
	})
}

// isDone reports whether the ship's agent has ended for good or has rested for a while. The caller holds v.mu.
func (s *Ship) isDone(now time.Time) bool {
	state := s.known.State.State
	rests := state == proto.StateIdle || state == proto.StateResting
	return s.finished() || rests && now.Sub(s.known.StateAt) >= restGrace
}
