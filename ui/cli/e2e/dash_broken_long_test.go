//go:build long

package e2e

import (
	"slices"
	"testing"

	"ocaptain/fleet"
)

// TestHelmDiesBehindTheDashboard kills helm while the captain looks: the dashboard says so, helm is started again,
// the live view goes on, and the ship has noticed nothing.
func TestHelmDiesBehindTheDashboard(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "orphaned", 2, gatedPlan(3))
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	agents := []string{c.aboard(t, d, "ship-0", "list-panes", "-s", "-F", "#{pane_pid}"), c.aboard(t, d, "ship-1", "list-panes", "-s", "-F", "#{pane_pid}")}
	before := c.until(d, "the board", func(fleet.Board) bool { return true })
	old := c.helm()
	kill(old)
	w.see("that helm is gone and is there again", has("helm is gone", "helm is back"))
	w.see("helm and the ship", has("● helm", "● live", "at the gate of"))
	if now := c.helm(); now == old || now == 0 {
		t.Errorf("helm was process %d, is %d", old, now)
	}
	w.press("@", "what has happened", has("─ Messages ─", "helm is gone", "helm is back"))
	w.press("Escape", "no dialog", hasNot("─ Messages ─"))
	w.press("i", "that keys go to the ship", has("● LIVE ship-0"))
	w.enter("still here")
	w.see("what was typed", has("still here"))
	w.press("C-q", "the end of that", hasNot("● LIVE"))

	// A new helm does not claim to know a ship before it has talked with that ship.
	after := c.until(d, "what the new helm knows of the ships", func(b fleet.Board) bool {
		return b.At.After(before.At) && !slices.ContainsFunc(b.Ships, func(s fleet.ShipView) bool { return s.Status.Word != fleet.Working })
	})
	for i, s := range after.Ships {
		if was := before.Ships[i]; s.Task != was.Task {
			t.Errorf("%s held task %s, holds %s", s.Name, was.Task, s.Task)
		}
		if now := c.aboard(t, d, s.Name, "list-panes", "-s", "-F", "#{pane_pid}"); now != agents[i] {
			t.Errorf("%s: its agent's terminal had process %s, has %s", s.Name, agents[i], now)
		}
	}
	for _, task := range []string{"1", "2", "3", "4"} {
		c.release(t, d, task)
	}
	w.see("the end of the voyage", has("the voyage is complete"))
	w.see("nothing left to do", all(top("complete"), top("0P 0W 4D")))
}
