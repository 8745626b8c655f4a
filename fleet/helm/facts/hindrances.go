package facts

import (
	"time"

	"ocaptain/fleet"
)

// Hindrances are what keeps helm from its work at the hub.
type Hindrances struct {
	Disk       fleet.Hindrance // of writing anything down
	Repository fleet.Hindrance // of merging anything
	Verify     fleet.Hindrance // of running verify.sh, the last time
	Unread     fleet.Hindrance // of bd reading the issues, the last time
	work       map[string]blocked
}

// blocked is work that something of the captain's keeps from the branch.
type blocked struct {
	fleet.Hindrance
	tried time.Time // when it was seen last
}

// retryWork is how long work that is blocked waits before it is tried again.
const retryWork = 5 * time.Second

// Block notes what keeps the work on a task from the branch, and reports whether nothing did before.
func (h *Hindrances) Block(now time.Time, task, why string) (begins bool) {
	b := h.work[task]
	begins = b.IsNone()
	b.Set(now, why)
	b.tried = now
	set(&h.work, task, b)
	return begins
}

// Unblock notes that nothing keeps the work on a task from the branch, and reports whether something did.
func (h *Hindrances) Unblock(task string) (was bool) {
	_, was = h.work[task]
	delete(h.work, task)
	return was
}

// Blocks returns what keeps the work on a task from the branch, if there is anything.
func (h *Hindrances) Blocks(task string) (fleet.Hindrance, bool) {
	b, ok := h.work[task]
	return b.Hindrance, ok
}

// RetryIn returns how long it is until blocked work may be tried again, 0 if it is not blocked.
func (h *Hindrances) RetryIn(now time.Time, task string) time.Duration {
	return max(0, h.work[task].tried.Add(retryWork).Sub(now))
}
