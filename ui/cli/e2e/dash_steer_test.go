package e2e

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// choose runs an action of the palette by its name.
func (w *window) choose(action string) {
	w.Helper()
	w.press(":", "the palette", has("─ Actions ─"))
	w.enter(action)
	w.see("the action", lit(action))
	w.keys("Enter")
}

// TestSteering changes a voyage in every way that the dashboard offers, and checks the voyage after each. The test
// runs many processes: it sails, adds, replaces and sinks ships, and requeues tasks, each with git and tmux.
func TestSteering(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	d := c.sailGated(t, "first", 2, gatedPlan(4))
	w := newWindow(t, c, 120, 40)
	modes, line := w.modes(), w.line()
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))

	t.Run("message", func(t *testing.T) {
		w.press("m", "that this agent cannot read", has("agent script of ship-0 takes no messages"))
	})
	t.Run("requeue", func(t *testing.T) {
		w.press("2", "the tasks", bottom("enter detail"))
		w.press("g", "the first", lit("1  Build part 1"))
		w.press("R", "a question", has("Take task 1 from"))
		w.press("y", "that it is done", has("requeue task 1: done"))
		// The ship leaves the task, and takes the ready task again.
		b := c.until(d, "both ships at work again", func(b fleet.Board) bool {
			return b.Ships[0].Task != "" && b.Ships[1].Task != "" && b.Tasks[0].Epoch == 2
		})
		if _, _, done := b.CountTasks(); done != 0 {
			t.Errorf("%d tasks are completed: late work was accepted", done)
		}
		raw, err := os.ReadFile(d.Events())
		if err != nil || !strings.Contains(string(raw), "requeued by the captain") {
			t.Errorf("the journal says nothing of it: %v", err)
		}
		if raw, err = os.ReadFile(d.LogFile(b.Tasks[0].Owner)); err != nil || !strings.Contains(string(raw), "Task 1 was taken back from you") {
			t.Errorf("the ship's log says nothing of it: %v", err)
		}
	})
	t.Run("ships", func(t *testing.T) { steerShips(t, c, w, d) })
	t.Run("verify", func(t *testing.T) {
		w.choose("verify now")
		w.see("that it passed", has("verify: done"))
		c.until(d, "verified", func(b fleet.Board) bool { return b.Verify.Passed })
	})
	t.Run("helm", func(t *testing.T) {
		before := c.helm()
		w.choose("restart helm")
		w.see("another helm", has("restart helm: done", "● helm", "● live"))
		if after := c.helm(); after == before || after == 0 {
			t.Errorf("helm was process %d, is %d", before, after)
		}
	})
	t.Run("voyages", func(t *testing.T) { steerVoyages(t, c, w, d) })

	before := c.ship(t, d, "ship-0").Status
	w.press("q", "the shell", ashore)
	if got := strings.TrimSpace(w.look().text); got != "ashore> "+c.program+"\nashore>" {
		t.Errorf("the dashboard left behind:\n%s", got)
	}
	if got := w.modes(); got != modes {
		t.Errorf("the terminal was %s, is %s", modes, got)
	}
	if got := w.line(); got != line {
		t.Errorf("the line was\n%s, is\n%s", line, got)
	}
	if after := c.ship(t, d, "ship-0").Status; after.Word != before.Word || !after.Since.Equal(before.Since) {
		t.Errorf("ship-0 was %+v, is %+v", before, after)
	}
}

func steerShips(t *testing.T, c *captain, w *window, d fleet.Dir) {
	w.press("1", "the agents", bottom("space mark"))
	w.choose("add a ship")
	w.see("its progress", has("add a ship …"))
	w.see("the ship", has("W ship-2", "add a ship: done"))

	w.press("G k", "ship-1", has("[4] ship-1", "● live"))
	c.until(d, "work that is not merged", func(b fleet.Board) bool { return b.Ships[1].Changed > 0 })
	w.press("R", "a question", has("Give ship-1 a new machine?", "Type ship-1"))
	w.enter("ship-1")
	w.press("Enter", "that it is done", has("replace ship-1: done"))
	if s := c.ship(t, d, "ship-1"); s.Built != 2 {
		t.Errorf("ship-1 had %d machines", s.Built)
	}
	w.see("the new machine", has("[4] ship-1", "● live", "at the gate of"))

	c.until(d, "work that is not merged", func(b fleet.Board) bool { return b.Ships[2].Changed > 0 })
	w.press("G", "ship-2", has("[4] ship-2", "● live"))
	w.press("D", "a question", has("Sink ship-2?", "Type ship-2", "not merged"))
	w.enter("ship-1")
	w.keys("Enter")
	w.press("C-u", "that a wrong name does nothing", has("Sink ship-2?"))
	w.enter("ship-2")
	w.press("Enter", "that it is gone", all(has("sink ship-2: done"), hasNot("W ship-2")))
	c.until(d, "two ships", func(b fleet.Board) bool { return len(b.Ships) == 2 })
}

func steerVoyages(t *testing.T, c *captain, w *window, first fleet.Dir) {
	plan := c.plan("second", "", passes, gatedPlan(2))
	w.press("s", "a question", has("sail a plan: a new voyage"))
	w.press("Down Enter", "the form", has("Plan", "Ships", "Sail"))
	w.enter(plan)
	w.see("what the plan is", has("second: 3 tasks in 2 levels"))
	w.press("Tab 1", "one ship", has("- 1 +"))
	w.press("C-s", "the new voyage", all(top("second"), has("[4] ship-0", "sail second: done")))
	var second fleet.Dir
	for _, d := range c.voyages() {
		if d != first {
			second = d
		}
	}
	c.until(second, "its ship at work", func(b fleet.Board) bool { return len(b.Ships) == 1 && b.Ships[0].Changed > 0 })
	w.see("its ship", has("at the gate of 1"))

	w.press("V", "both voyages", has("─ Voyages ─", "first", "second", "2 of 2"))
	w.enter("first")
	w.see("the first alone", has("1 of 2"))
	w.press("Enter", "the first voyage", all(top("first"), has("ship-1", "● live")))
	w.press("V", "both voyages", has("2 of 2"))
	w.enter("second")
	w.press("Enter", "the second voyage", all(top("second"), has("● live"), hasNot("ship-1")))

	w.choose("sink the voyage")
	w.see("a question", has("Sink 1 ship of second?", "1 agent at work", "Type "+second.ID()))
	w.enter(second.ID())
	w.press("Enter", "that it is sunk", all(top("▼ sunk"), has("no ship is out")))
	if f, err := fleet.LoadFleet(second); err != nil || f.Phase != fleet.Sunk || len(f.Ships) > 0 {
		t.Errorf("the second voyage is %s with %d ships, %v", f.Phase, len(f.Ships), err)
	}
	if f, err := fleet.LoadFleet(first); err != nil || f.Phase != fleet.Sailing || len(f.Ships) != 2 {
		t.Errorf("the first voyage is %s with %d ships, %v", f.Phase, len(f.Ships), err)
	}
	w.press("V", "both voyages", has("2 of 2"))
	w.enter("first")
	w.press("Enter", "the first voyage", all(top("first"), has("ship-1", "● live")))
}
