package limits

import (
	"fmt"
	"testing"
	"time"

	"ocaptain/fleet/proto"
)

// begins reports whether a ship is offered a task.
func (c *crew) begins(name string, at time.Time) bool {
	s := c.ships[name].Ship
	if c.limits.HoldsBack(at, s) {
		return false
	}
	c.limits.Begins(at, s)
	return true
}

// wants checks which ships are offered a task, in this order.
func (c *crew) wants(at time.Time, names []string, want ...bool) {
	c.t.Helper()
	for i, name := range names {
		if got := c.begins(name, at); got != want[i] {
			c.t.Errorf("%s is offered a task: %t", name, got)
		}
	}
}

func until(d time.Duration) proto.AgentState {
	return proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: noon.Add(d)}
}

var (
	idle    = proto.AgentState{State: proto.StateIdle}
	working = proto.AgentState{State: proto.StateWorking, Tool: "Bash"}
)

const month = 30 * 24 * time.Hour

// TestOneShipsWord: one ship says again and again that there is a limit for a month. One idle ship begins something first, and all do when
// it is served. The ship itself tries again when its service's longest limit has passed.
func TestOneShipsWord(t *testing.T) {
	c := newCrew(t, "ship-0", "ship-1", "ship-2")
	c.report("ship-1", noon, idle)
	c.report("ship-2", noon, idle)
	c.report("ship-0", noon, until(month))
	c.wants(noon, []string{"ship-1", "ship-2"}, true, false)
	c.report("ship-1", noon.Add(time.Second), working)
	at := noon.Add(2 * time.Second)
	for range 20 {
		c.wants(at, []string{"ship-2"}, true)
		c.report("ship-0", at, working)
		c.look(at, Voyage{Restored: true})
		c.report("ship-0", at, until(month))
		at = at.Add(time.Minute)
	}
	if next := c.limits["claude"].NextTry("ship-0"); next.After(at.Add(8*24*time.Hour)) || next.Before(at.Add(6*24*time.Hour)) {
		t.Errorf("it tries again at %s", next)
	}
}

// TestSecondWord: a second ship proves a limit. No ship begins anything until the time that two of them name.
func TestSecondWord(t *testing.T) {
	var names []string
	for n := range 20 {
		names = append(names, fmt.Sprint("ship-", n))
	}
	c := newCrew(t, names...)
	c.report("ship-0", noon, until(month))
	at := noon.Add(time.Second)
	c.report("ship-1", at, until(3*time.Hour))
	c.wants(at, names[2:], make([]bool, 18)...)
	if h := c.limits["claude"]; h.Next.After(noon.Add(3*time.Hour + 5*time.Minute)) {
		t.Errorf("the next try is at %s", h.Next)
	}
	at = noon.Add(3*time.Hour + 3*time.Minute) // it tries, and says again that the limit lasts: another one tries soon
	c.report("ship-0", at, until(2*month))
	if h := c.limits["claude"]; h.Next.After(at.Add(10 * time.Minute)) {
		t.Errorf("the next try is at %s", h.Next)
	}
}

// TestTwoLiars: two ships say that there is a limit for a month. That holds the others for a minute; then one finds out. When it meets the
// limit too, the next one waits longer; when it is served, the words of the others hold only themselves.
func TestTwoLiars(t *testing.T) {
	others := []string{"ship-2", "ship-3", "ship-4"}
	c := newCrew(t, append(others, "ship-0", "ship-1")...)
	c.report("ship-0", noon, until(month))
	c.report("ship-1", noon, until(month))
	for _, name := range others {
		c.report(name, noon, idle)
	}
	c.wants(noon.Add(FirstProbe-time.Second), others, false, false, false)
	at := noon.Add(FirstProbe)
	c.wants(at, others, true, false, false)
	c.report("ship-2", at, until(at.Add(10*time.Minute).Sub(noon)))
	c.wants(at.Add(FirstProbe), others, false, false, false)
	at = at.Add(2 * FirstProbe)
	c.wants(at, others, false, true, false)
	silent := *c.limits["claude"]
	if after := at.Add(ProbeTime); !silent.HoldsBack(after, "ship-3") || silent.HoldsBack(after, "ship-4") || silent.HoldsBack(after.Add(ProbeTime), "ship-3") {
		t.Errorf("only the silent ship may find out: %+v", silent)
	}
	c.report("ship-3", at, working)
	c.wants(at, others, false, true, true)
	h := c.limits["claude"]
	if next := h.NextTry("ship-2"); next.After(at.Add(10 * time.Minute)) {
		t.Errorf("a ship that told a short limit tries at %s", next)
	}
	if next := h.NextTry("ship-0"); next.Before(at.Add(6 * 24 * time.Hour)) {
		t.Errorf("a ship that told a long limit tries at %s", next)
	}
}

// TestOwnLogins: what ships with logins of their own meet holds no other.
func TestOwnLogins(t *testing.T) {
	c := newCrew(t, "ship-0", "ship-1", "ship-2")
	for name, s := range c.ships {
		s.Login = name
	}
	c.report("ship-0", noon, until(time.Hour))
	c.report("ship-1", noon, until(time.Hour))
	c.wants(noon, []string{"ship-0", "ship-2"}, false, true)
}
