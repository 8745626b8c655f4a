package voyage

import (
	"time"

	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// idleNow returns since when the ship is idle, and the task that its agent neglects, "" for none. The caller holds v.mu.
func (s *Ship) idleNow(now time.Time, view *kind.View) (is facts.Idle, neglected string) {
	neglected = s.neglected(now, view)
	return s.idle.Next(now, view.Held(s.Name) != nil, neglected != ""), neglected
}

// noteIdle notes since when ships are idle.
func (v *Voyage) noteIdle(now time.Time) {
	changes(v, func() {
		for _, s := range v.ships {
			s.idle, _ = s.idleNow(now, v.Look())
		}
	})
}

// neglected returns a task that is ready for the ship whose agent works on none, "" for no such task. The caller holds v.mu.
func (s *Ship) neglected(now time.Time, view *kind.View) string {
	v := s.v
	works := s.known.State.State == proto.StateWorking && view.Held(s.Name) == nil
	if !works || s.Paused(now) != "" || v.Kind.Closed(v.Roster.Now().Phase) != nil || v.Hinders.IsFull() || s.Barred(now) != nil || s.State().Trouble.Rest(now) > 0 || v.limits.HoldsBack(now, &s.limit) {
		return ""
	}
	return view.First(s.Claimant(), now)
}
