// Package silence measures for how long another end has said nothing. What nobody could have heard,
// as this machine slept or this process was stopped, is no silence of the other end.
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

// SilentFor tells for how long nothing has been said, and whether something has been since the last look,
// after which this one was to come in wait. One that comes more than another wait too late tells of
// a sleep, and the count begins anew: what was silent before may have been this machine's network
// going down. One that is a little late counts as if it had come in time, since what came in
// between may not have been read yet.
//
// The moments are those of the clock on the wall, which goes on during sleep. That it is
// set back changes nothing; that it is set forward looks like a sleep, once.
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
