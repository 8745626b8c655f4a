package e2e

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
)

// moored is the beginning of a task's command that waits until the captain has visited all ships.
const moored = "echo $OCAPTAIN_SHIP >~/moored; echo task $OCAPTAIN_TASK is moored aboard $OCAPTAIN_SHIP; until [ -e ~/cast-off ]; do sleep 0.3; done"

// rounds visits all ships of a voyage whose tasks are moored, whatever their provider: in the dashboard each has a row, its
// terminal is shown live, and Enter and ctrl-q lead there and back; "shell" leads to the agent's terminal and, with --raw, to a
// shell on the ship, with which rounds lets the task go on. Meanwhile no process of ocaptain's may listen where it should not.
// aboard lists the processes of all ships.
func (c *captain) rounds(d fleet.Dir, aboard func() []int) {
	c.Helper()
	board := c.until(d, "every ship at work", func(b fleet.Board) bool {
		for _, s := range b.Ships {
			if s.Status.Word != fleet.Working || s.Task == "" {
				return false
			}
		}
		return len(b.Ships) > 0
	})
	w := newWindow(c.TB, c, 120, 40)
	w.run(c.program + " " + d.ID())
	var rows []string
	for _, s := range board.Ships {
		rows = append(rows, "W "+s.Name)
	}
	w.see("a row for each ship", has(append(rows, "[1] Agents", "● helm")...))
	for i, s := range board.Ships {
		if i > 0 {
			w.keys("j")
		}
		shows := fmt.Sprintf("task %s is moored aboard %s", s.Task, s.Name)
		dashboard := has("[1] Agents", "[4] "+s.Name, "● live", shows)
		w.see("what its agent shows", dashboard)
		w.press("Enter", "the agent alone", all(has(shows), hasNot("[1] Agents")))
		w.press("C-q", "the dashboard", dashboard)
	}
	c.listens(c.pids(), false)
	c.listens(aboard(), true)
	w.press("q", "the shell", ashore)

	first := board.Ships[0]
	w.run("clear; " + c.program + " shell " + d.ID() + " " + first.Name)
	w.see("the agent", has(fmt.Sprintf("task %s is moored aboard %s", first.Task, first.Name)))
	w.press("C-q", "the shell", ashore)
	for _, s := range board.Ships {
		w.run("clear; " + c.program + " shell " + d.ID() + " " + s.Name + " --raw")
		w.see("the ship's shell", func(v view) bool {
			text := strings.TrimRight(v.text, "\n ")
			return !ashore(v) && (strings.HasSuffix(text, "$") || strings.HasSuffix(text, "#"))
		})
		w.run("cat ~/moored; touch ~/cast-off && echo cast $((1 + 1)) off")
		w.see("what was run there", has("\n"+s.Name+"\n", "\ncast 2 off\n"))
		w.run("exit")
		w.see("the captain's own shell", ashore)
	}
}
