package facts

import "time"

// Starts spaces the starts of a runner that ends again and again.
type Starts struct {
	times int
	next  time.Time
}

// MaxStarts is how often in a row a runner may end before its task goes to another ship. It is started again all the same.
const MaxStarts = 5

// Begin reports whether the runner may be started now, and whether it has ended so often that its task goes to another ship.
func (s *Starts) Begin(now time.Time) (may, lost bool) {
	if now.Before(s.next) {
		return false, false
	}
	if now.Sub(s.next) > 10*time.Minute {
		s.times = 0
	}
	s.next = now.Add(10 * time.Second << min(s.times, 5))
	s.times++
	return true, s.times == MaxStarts
}
