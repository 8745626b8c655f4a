package hindrance

import (
	"time"

	"ocaptain/fleet"
)

// blocked maps each task whose work something of the captain's keeps from the branch to its hindrance.
type blocked map[string]block

type block struct {
	fleet.Hindrance
	tried time.Time // when helm last found it blocked
}

// retryWork is how long work that is blocked waits before it is tried again.
const retryWork = 5 * time.Second

// add records what keeps the work on a task from the branch, and reports whether nothing did before.
func (w blocked) add(now time.Time, task, why string) (begins bool) {
	b := w[task]
	begins = b.IsNone()
	b.Set(now, why)
	b.tried = now
	w[task] = b
	return begins
}

// retryIn returns how long it is until the work on a task may be tried again, 0 if it is not blocked.
func (w blocked) retryIn(now time.Time, task string) time.Duration {
	return max(0, w[task].tried.Add(retryWork).Sub(now))
}
