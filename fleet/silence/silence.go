// Package silence measures how long another end has been silent. Time in which this machine slept or this process was
// stopped does not count.
package silence

import "time"

// Count measures the silence of another end. It is not safe for concurrent use.
type Count struct {
	looked time.Time
	heard  int64
	silent time.Duration
}

// Start returns a Count that begins at now. heard is how much the other end has sent so far.
func Start(now time.Time, heard int64) *Count {
	return &Count{looked: now.Round(0), heard: heard}
}

// SilentFor returns how long the other end has been silent, and whether it has sent something since the last look.
// wait is the time until the caller's next look. If that look comes more than another wait too late, the machine must
// have slept, and the count restarts: the silence before the sleep may have come from this machine's network going
// down. A look that is a little late counts as if it were in time, since data that came in between may not have been
// read yet.
//
// The times are those of the wall clock, which goes on during sleep. Setting the clock back changes nothing; setting
// it forward once looks like a sleep.
func (c *Count) SilentFor(now time.Time, wait time.Duration, heard int64) (silent time.Duration, said bool) {
	now = now.Round(0)
	gap := now.Sub(c.looked)
	c.looked = now
	switch said = heard != c.heard; {
	case said:
		c.heard, c.silent = heard, 0
	case gap > 2*wait:
		c.silent = 0
	default:
		c.silent += wait
	}
	return c.silent, said
}
