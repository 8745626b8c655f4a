package clock

import (
	"testing"
	"time"
)

// A tick that comes soon enough is kept; a tick that comes too late is replaced, and then does not count.
func TestClock(t *testing.T) {
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var c Clock
	if c.In(time.Second, noon) == nil {
		t.Fatal("it does not begin to tick")
	}
	early := Tick{c.ticks}
	if c.In(30*time.Second, noon) != nil {
		t.Error("a tick that comes soon enough is replaced")
	}
	if !c.Took(early) {
		t.Error("a tick does not count")
	}
	c.In(30*time.Second, noon)
	late := Tick{c.ticks}
	if c.In(time.Second, noon) == nil {
		t.Error("a tick that comes too late is kept")
	}
	if c.Took(late) {
		t.Error("a tick counts that was replaced")
	}
}
