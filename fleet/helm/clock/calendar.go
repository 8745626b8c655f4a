package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

var started = time.Now()

// clocks returns the calendar's time, and for how long the machine has run, asleep or not.
func clocks() (time.Time, time.Duration) {
	var t unix.Timespec
	if unix.ClockGettime(sinceBoot, &t) != nil {
		return time.Now(), time.Since(started) // this leaves out sleep, so that each sleep looks like a jump
	}
	return time.Now(), time.Duration(t.Nano())
}
