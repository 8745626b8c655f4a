package voyage

import (
	gosync "sync"
	"time"

	"ocaptain/fleet/retry"
)

// awake knows since when the hub has been awake. A laptop that sleeps, and a helm that was
// stopped, hear nothing: such a silence proves nothing of a ship.
type awake struct {
	mu     gosync.Mutex
	looked time.Time
	woke   time.Time
}

// The rhythm in which helm sees that it is awake, and the gap in it that is a sleep.
const (
	glance = 2 * time.Second
	asleep = 4 * glance
)

// since returns since when the hub has been awake, the first look being the first moment. It
// goes by the clock that runs on during sleep, and is right however late the next look comes. Where that
// clock is set back, what was awake then is awake since now.
func (a *awake) since(now time.Time) time.Time {
	now = now.Round(0)
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.looked) > asleep || a.woke.After(now) {
		a.woke = now
	}
	a.looked = now
	return a.woke
}

// keepAwake looks all the time, until helm ends.
func (h *Set) keepAwake() {
	for retry.Sleep(h.ctx, glance) == nil {
		h.awake.since(time.Now())
		h.calendar.readClock()
	}
}
