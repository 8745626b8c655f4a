package facts

import "time"

// Trouble keeps a ship from taking tasks, after it could not take a task or do its part of one for a reason of its own, such as a full disk:
// longer each time, until it has done its part of a task.
type Trouble struct {
	Why   string    // "" while there is none
	Since time.Time // of the first in a row
	Until time.Time // it takes no tasks
	times int
}

const (
	firstRest = 2 * time.Second
	longRest  = time.Minute
)

// Add takes in that the ship had trouble, and reports whether it had none before.
func (t *Trouble) Add(now time.Time, why string) (first bool) {
	if first = t.Why == ""; first {
		t.Since = now
	}
	t.Why, t.Until = why, now.Add(min(longRest, firstRest<<min(t.times, 10)))
	t.times++
	return first
}

// Rest is how long the ship takes no tasks.
func (t *Trouble) Rest(now time.Time) time.Duration { return t.Until.Sub(now) }
