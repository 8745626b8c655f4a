package fleet

import (
	"fmt"
	"time"
)

// Clock judges whether the calendar of this machine can be believed. A laptop may wake with a wrong
// calendar, which the network corrects a little later. Clock compares it with the time since boot, sleep
// included, which no program sets. The zero Clock has not looked yet.
type Clock struct {
	looked bool
	wall   time.Time     // at the last look
	ran    time.Duration // at the last look
	since  time.Duration // value of ran from which on the calendar has run evenly
	jumped bool          // it did not always, and has not been believed since
	by     time.Duration // how far, all in all
}

// A calendar is believed when it has run evenly for so long, or for the age that it is about if that
// is less. In it a jump is a difference that no clock comes to by itself between two looks.
const (
	evenly = 10 * time.Minute
	jump   = 2 * time.Minute
)

// Compare compares the calendar with how long the machine has run.
func (c *Clock) Compare(wall time.Time, ran time.Duration) {
	wall = wall.Round(0) // what runs within Go may stand still while the machine sleeps
	switch by := wall.Sub(c.wall) - (ran - c.ran); {
	case !c.looked:
		c.looked, c.since = true, ran
	case by.Abs() > jump:
		if ran-c.since >= evenly {
			c.by = 0 // what was before is long believed
		}
		c.since, c.jumped, c.by = ran, true, c.by+by
	case ran-c.since >= evenly:
		c.jumped, c.by = false, 0
	}
	c.wall, c.ran = wall, ran
}

// wait is how long the calendar must run evenly to be believed by these guards.
func (g Guards) wait() time.Duration { return min(evenly, g.MaxAge) }

// AsOf returns the guards as they hold by a calendar. While it is not believed, no ship is sunk for its
// age, and after a jump helm does not warn of ages either.
//
// A calendar that is set wrong and stays so for ten minutes is believed, and so is a calendar that was
// wrong when a ship was made. Where the time since boot leaves out sleep, as in a paused virtual machine,
// each sleep is a jump: it delays sinking by ten minutes.
func (g Guards) AsOf(c Clock) Guards {
	if c.ran-c.since < g.wait() || !c.looked {
		g.SinkOld = false
		if c.jumped {
			g.MaxAge = 0
		}
	}
	return g
}

// ClockDoubt says why ships are not sunk for age after a jump of the calendar, "" when there was none.
func (g Guards) ClockDoubt(c Clock) string {
	if g.MaxAge == 0 || !c.jumped || c.ran-c.since >= g.wait() {
		return ""
	}
	how := "by " + FormatSpan(c.by.Abs().Round(time.Minute))
	switch {
	case c.by.Abs() <= jump:
		how = "and is back"
	case c.by < 0:
		how = "back " + how
	}
	return fmt.Sprintf("the clock has jumped %s: no ship is sunk for its age until it has run evenly for %s", how, FormatSpan(g.wait()))
}
