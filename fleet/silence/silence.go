// Package silence measures for how long another end has said nothing. Time in which this machine
// slept or this process was stopped does not count.
package silence

import "time"

// Count is the silence of one end. It is not safe for concurrent use.
type Count struct {
	looked time.Time
	heard  int64
	silent time.Duration
}

// Start begins to count at a moment, when the other end had said so much.
func Start(now time.Time, heard int64) *Count {
	return &Count{looked: now.Round(0), heard: heard}
}

// SilentFor returns for how long the other end has said nothing, and whether it said something since the
// last look. The caller promised to look again in wait. A look that comes more than another wait too late
// means that the machine slept, and the count restarts: earlier silence may have been this machine's
// network going down. A look that is a little late counts as if it were in time, since what came in
// between may not have been read yet.
//
// The moments are those of the clock on the wall, which goes on during sleep. Setting the clock back
// changes nothing; setting it forward looks like a sleep, once.
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
