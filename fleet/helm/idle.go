package helm

import (
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// idle is since when a ship holds no task, and since when its agent works on none although one is ready for it. A time is zero
// while that is not so.
type idle struct{ free, neglects time.Time }

// next returns idle as it is now, by whether the ship holds a task and whether its agent neglects one.
func (i idle) next(now time.Time, holds, neglects bool) idle {
	return idle{since(i.free, now, !holds), since(i.neglects, now, neglects)}
}

// since returns the time from which on something has been so: first, or now when it was not so before; zero when it is not.
func since(first, now time.Time, is bool) time.Time {
	switch {
	case !is:
		return time.Time{}
	case first.IsZero():
		return now
	}
	return first
}

// idleNow returns since when the ship is idle, given the task that it holds or nil, and the task that its agent neglects, "" for none. The caller
// holds v.mu.
func (s *ship) idleNow(now time.Time, held *tasks.State) (is idle, neglected string) {
	neglected = s.neglected(now)
	return s.idle.next(now, held != nil, neglected != ""), neglected
}

// noteIdle notes since when ships are idle.
func (v *voyage) noteIdle(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, s := range v.ships {
		s.idle, _ = s.idleNow(now, v.look().Held(name))
	}
}

// neglected returns a task that is ready for the ship whose agent works on none, "" for no such task. The caller holds v.mu.
func (s *ship) neglected(now time.Time) string {
	v := s.v
	works := s.known.State.State == proto.StateWorking && v.look().Held(s.name) == nil && !v.kind.Gives()
	if !works || v.kind.Closed(v.fleet.Phase) != nil || !v.disk.IsNone() || s.barred(now) != nil || s.recess(now) > 0 || v.holds[s.login].holdsBack(now, s.name) {
		return ""
	}
	return v.look().First(s.name, s.role, now)
}
