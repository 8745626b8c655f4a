package facts

import "time"

// Idle tells since when a ship is idle. A time is zero while its condition does not hold.
type Idle struct {
	Free     time.Time // the ship holds no task
	Neglects time.Time // its agent works without a task although one is ready for the ship
}

// Next returns idle as it is now, by whether the ship holds a task and whether its agent neglects one.
func (i Idle) Next(now time.Time, holds, neglects bool) Idle {
	return Idle{since(i.Free, now, !holds), since(i.Neglects, now, neglects)}
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
