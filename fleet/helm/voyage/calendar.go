package voyage

import (
	gosync "sync"
	"time"

	"golang.org/x/sys/unix"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
)

// calendar is what helm thinks of this machine's clock. A helm that begins has no opinion yet.
type calendar struct {
	mu    gosync.Mutex
	clock guard.Clock
	read  func() (wall time.Time, ran time.Duration) // nil for the machine's own
}

// readClock looks at the clock and returns what is thought of it.
func (c *calendar) readClock() guard.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.read
	if read == nil {
		read = clocks
	}
	c.clock.Compare(read())
	return c.clock
}

var started = time.Now()

// clocks reads the calendar and how long the machine has run, asleep or not.
func clocks() (time.Time, time.Duration) {
	var t unix.Timespec
	if unix.ClockGettime(sinceBoot, &t) != nil {
		return time.Now(), time.Since(started) // which leaves out sleep: then each is a jump
	}
	return time.Now(), time.Duration(t.Nano())
}

// guardsNow are the voyage's guards as they hold by what is thought of the clock, and why they do not
// hold in full, if so.
func (v *Voyage) guardsNow() (fleet.Guards, string) {
	c := v.set.calendar.readClock()
	return guard.AsOf(v.guards, c), guard.ClockDoubt(v.guards, c)
}
