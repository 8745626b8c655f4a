// Package clock wakes the dashboard when an age on the screen changes.
package clock

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Clock ticks once at a time. Its zero value does not tick.
type Clock struct {
	due   time.Time // when it ticks next, zero for never
	ticks int
}

// Tick is a tick of a clock.
type Tick struct{ number int }

// In has the clock tick after pace. It keeps a pending tick that comes soon enough, and replaces a tick that comes too late.
func (c *Clock) In(pace time.Duration, now time.Time) tea.Cmd {
	due := now.Add(pace)
	if !c.due.IsZero() && !c.due.After(due) {
		return nil
	}
	c.due = due
	c.ticks++
	number := c.ticks
	return tea.Tick(pace, func(time.Time) tea.Msg { return Tick{number} })
}

// Took takes a tick, and reports whether it counts: a tick that was replaced does not.
func (c *Clock) Took(t Tick) bool {
	if t.number != c.ticks {
		return false
	}
	c.due = time.Time{}
	return true
}
