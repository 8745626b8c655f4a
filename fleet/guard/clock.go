package guard

import (
	"fmt"
	"time"

	"ocaptain/fleet"
)

// Clock judges whether the calendar time of this machine can be trusted. A laptop may wake with a wrong calendar,
// which the network corrects a little later. Clock compares the calendar with the time since boot, which includes
// sleep and which no program can set. The zero Clock has not compared yet.
type Clock struct {
	looked bool
	wall   time.Time     // the calendar time of the last comparison
	ran    time.Duration // the time since boot of the last comparison
	since  time.Duration // the value of ran since which the calendar has run evenly
	jumped bool          // the calendar has jumped, and is not trusted again yet
	by     time.Duration // sum of the jumps so far
}

// A calendar is trusted once it has run evenly for this time, or for MaxAge if that is shorter. A jump is a
// difference between calendar and time since boot that no clock shows without being set.
const (
	evenly = 10 * time.Minute
	jump   = 2 * time.Minute
)

// Compare compares the calendar with the time since boot.
func (c *Clock) Compare(wall time.Time, ran time.Duration) {
	wall = wall.Round(0) // drop the monotonic clock, which may stand still while the machine sleeps
	switch by := wall.Sub(c.wall) - (ran - c.ran); {
	case !c.looked:
		c.looked, c.since = true, ran
	case by.Abs() > jump:
		if ran-c.since >= evenly {
			c.by = 0 // the jumps before were accepted long ago
		}
		c.since, c.jumped, c.by = ran, true, c.by+by
	case ran-c.since >= evenly:
		c.jumped, c.by = false, 0
	}
	c.wall, c.ran = wall, ran
}

// wait returns how long the calendar must run evenly before these guards trust it.
func wait(g fleet.Guards) time.Duration { return min(evenly, g.MaxAge) }

// AsOf returns the guards that apply at this state of the clock. While the calendar is not trusted, no ship is sunk
// for its age. After a jump, helm does not warn of ages either.
//
// A wrong calendar is trusted once it has run evenly for ten minutes, and so is a calendar that was wrong when a ship
// was made. If the time since boot leaves out sleep, as in a paused virtual machine, each sleep looks like a jump,
// and delays sinking by ten minutes.
func AsOf(g fleet.Guards, c Clock) fleet.Guards {
	if c.ran-c.since < wait(g) || !c.looked {
		g.SinkOld = false
		if c.jumped {
			g.MaxAge = 0
		}
	}
	return g
}

// ClockDoubt says why a jump of the calendar keeps ships from being sunk for their age, "" when none does.
func ClockDoubt(g fleet.Guards, c Clock) string {
	if g.MaxAge == 0 || !c.jumped || c.ran-c.since >= wait(g) {
		return ""
	}
	how := "by " + fleet.FormatSpan(c.by.Abs().Round(time.Minute))
	switch {
	case c.by.Abs() <= jump:
		how = "and is back"
	case c.by < 0:
		how = "back " + how
	}
	return fmt.Sprintf("the clock has jumped %s: no ship is sunk for its age until it has run evenly for %s", how, fleet.FormatSpan(wait(g)))
}
