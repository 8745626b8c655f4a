package facts

import "time"

// Idle says since when a ship is idle. A time is zero while its condition is false.
type Idle struct {
	Free     time.Time // since when the ship has held no task
	Neglects time.Time // since when the agent has worked without a task although one is ready for the ship
}

// Next returns the Idle that follows. holds says that the ship holds a task, and neglects that its agent works
// without a task although one is ready.
func (i Idle) Next(now time.Time, holds, neglects bool) Idle {
	return Idle{since(i.Free, now, !holds), since(i.Neglects, now, neglects)}
}

// since returns when a condition became true: first, or now if first is zero. If the condition is false, it returns the zero
// time.
func since(first, now time.Time, is bool) time.Time {
	switch {
	case !is:
		return time.Time{}
	case first.IsZero():
		return now
	}
	return first
}
