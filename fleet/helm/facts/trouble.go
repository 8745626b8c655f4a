package facts

import "time"

// Trouble keeps a ship from taking tasks after it failed to take or complete one for a reason of its own, such as a full disk. The time
// grows with each failure, until the ship has done its part of a task.
type Trouble struct {
	Why   string    // "" when the ship has no trouble
	Since time.Time // when the first trouble in a row began
	Until time.Time // the ship takes no task before this time
	times int
}

const (
	firstRest = 2 * time.Second
	longRest  = time.Minute
)

// Add records a trouble of the ship. first says that it had none before.
func (t *Trouble) Add(now time.Time, why string) (first bool) {
	if first = t.Why == ""; first {
		t.Since = now
	}
	t.Why, t.Until = why, now.Add(min(longRest, firstRest<<min(t.times, 10)))
	t.times++
	return first
}

// Rest returns for how long the ship takes no task; it is not positive when the ship may.
func (t Trouble) Rest(now time.Time) time.Duration { return t.Until.Sub(now) }
