package facts

import "time"

// Starts limits how often a runner that keeps ending is started.
type Starts struct {
	times int
	next  time.Time
}

// MaxStarts is how often in a row a runner may end before its task is requeued. The runner is still started again after
// that.
const MaxStarts = 5

// Begin reports whether the runner may be started now. lost says that it has ended so often that its task has to be
// requeued.
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
