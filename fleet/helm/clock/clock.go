// Package clock knows since when the hub has been awake, and how far its calendar can be trusted.
package clock

import (
	"context"
	"sync"
	"time"

	"ocaptain/fleet/guard"
	"ocaptain/fleet/retry"
)

// Clock looks at the hub's clocks. Its zero value is ready to use, and its methods are safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	looked time.Time
	woke   time.Time
	judged guard.Clock
}

// The clock is looked at every glance. A gap longer than asleep between two looks is a sleep.
const (
	glance = 2 * time.Second
	asleep = 4 * glance
)

// Run looks at the clocks until ctx ends.
func (c *Clock) Run(ctx context.Context) {
	for retry.Sleep(ctx, glance) == nil {
		c.AwakeSince(time.Now())
		c.Calendar()
	}
}

// AwakeSince returns since when the hub has been awake, which begins with the first look. While a laptop sleeps or helm is stopped, helm hears
// nothing from ships: their silence proves nothing. AwakeSince uses the clock that goes on during sleep, so that the result is right however
// late the next look comes. If that clock is set back, the hub counts as awake since now.
func (c *Clock) AwakeSince(now time.Time) time.Time {
	now = now.Round(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.looked) > asleep || c.woke.After(now) {
		c.woke = now
	}
	c.looked = now
	return c.woke
}

// Calendar looks at the calendar's time and returns how far it can be trusted. After a start there is no judgment yet.
func (c *Clock) Calendar() guard.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.judged.Compare(clocks())
	return c.judged
}
