package helm

import (
	"time"

	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// idle tells since when a ship is idle. A time is zero while its condition does not hold.
type idle struct {
	free     time.Time // the ship holds no task
	neglects time.Time // its agent works without a task although one is ready for the ship
}

// next returns idle as it is now, by whether the ship holds a task and whether its agent neglects one.
func (i idle) next(now time.Time, holds, neglects bool) idle {
	return idle{since(i.free, now, !holds), since(i.neglects, now, neglects)}
}

// since returns when a condition began to hold: first, or now if first is zero. It returns zero if the condition does not hold.
func since(first, now time.Time, is bool) time.Time {
	switch {
	case !is:
		return time.Time{}
	case first.IsZero():
		return now
	}
	return first
}

// idleNow returns since when the ship is idle, and the task that its agent neglects, "" for none. The caller holds v.mu.
func (s *ship) idleNow(now time.Time, view *kind.View) (is idle, neglected string) {
	neglected = s.neglected(now, view)
	return s.idle.next(now, view.Held(s.name) != nil, neglected != ""), neglected
}

// noteIdle notes since when ships are idle.
func (v *voyage) noteIdle(now time.Time) {
	changes(v, func() {
		for _, s := range v.ships {
			s.idle, _ = s.idleNow(now, v.look())
		}
	})
}

// neglected returns a task that is ready for the ship whose agent works on none, "" for no such task. The caller holds v.mu.
func (s *ship) neglected(now time.Time, view *kind.View) string {
	v := s.v
	works := s.known.State.State == proto.StateWorking && view.Held(s.name) == nil
	if !works || s.paused(now) != "" || v.kind.Closed(v.fleet.Phase) != nil || !v.hinders.Disk.IsNone() || s.barred(now) != nil || s.trouble.Rest(now) > 0 || v.facts.Holds[s.login].HoldsBack(now, s.name) {
		return ""
	}
	return view.First(s.claimant(), now)
}
