//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// TestVisits attaches and comes back many times. Afterwards the screen, the terminal's modes, and the open files of
// the dashboard are as they were.
func TestVisits(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "visits", 2, gatedPlan(3))
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	visit := func() {
		t.Helper()
		w.press("Enter", "the agent alone", all(has("at the gate of"), hasNot("[1] Agents")))
		w.press("C-q", "the dashboard", has("[1] Agents", "[4] ship-0", "● live", "at the gate of"))
	}
	visit() // this resizes the window to the terminal
	pid := w.program()
	open := func(reader bool) func() int {
		return func() int {
			fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, fd := range fds {
				to, _ := os.Readlink(fd)
				if (to == "anon_inode:[eventpoll]" || strings.HasPrefix(to, "pipe:")) == reader {
					n++
				}
			}
			return n
		}
	}
	was, modes, line := w.see("all that there is to log", has("● live", "at the gate of 1", "at the gate of 2")), w.modes(), w.line()
	readers := open(true)()
	files, running := open(false)(), len(proctest.With(c.home))
	const visits = 25
	for range visits {
		visit()
	}
	w.see("what it showed before", func(v view) bool { return ageless(v.text) == ageless(was.text) })
	if got := w.modes(); got != modes {
		t.Errorf("the terminal was %s, is %s", modes, got)
	}
	if got := w.line(); got != line {
		t.Errorf("the line was\n%s, is\n%s", line, got)
	}
	c.settles(t, "files open in the dashboard", files, open(false))
	// Bubble Tea does not close the reader of its input when a command has the terminal: each visit leaks a descriptor,
	// and two more until the next garbage collection.
	c.settles(t, "descriptors of readers", readers+3*visits, open(true))
	c.settles(t, "processes of captain and ships", running, func() int { return len(proctest.With(c.home)) })
	if got := c.aboard(t, d, "ship-0", "list-clients", "-F", "control #{client_control_mode}"); strings.Count(got, "control 0") != 1 {
		t.Errorf("clients of the ship's tmux:\n%s", got)
	}
}

// ageless returns the text of a screen without numbers and units, which ages consist of.
func ageless(text string) string {
	return strings.Join(strings.Fields(regexp.MustCompile(`\d+[a-z]?`).ReplaceAllString(text, " ")), " ")
}

// settles waits until a count is no larger than it was.
func (c *captain) settles(t testing.TB, what string, was int, now func() int) {
	t.Helper()
	eventually.Succeeds(t, what+" are no more than before", func() error {
		if n := now(); n > was {
			return fmt.Errorf("%d before, %d after", was, n)
		}
		return nil
	})
}

// TestTwoCaptains has two captains at terminals of different size at one ship. The window has the size of the
// terminal that attached last; neither typing nor looking changes that.
func TestTwoCaptains(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "shared", 2, gatedPlan(3))
	task := c.ship(t, d, "ship-0").Task
	big, small := newWindow(t, c, 120, 40), newWindow(t, c, 80, 24)
	sizes := c.record(t, d, "ship-0")
	for _, w := range []*window{big, small} {
		w.run(c.program)
		w.see("the dashboard", has("[1] Agents", "W ship-0", "● helm"))
		w.press("4", "the ship", has("[4] ship-0", "● live", "at the gate of "+task))
		w.press("] [", "it again", has("[4] ship-0", "● live", "at the gate of "+task))
	}
	sizes.are(t, "200x50")

	alone := all(has("at the gate of "+task), hasNot("[4] ship-0"))
	big.press("Enter", "the agent alone", alone)
	sizes.are(t, "200x50", "120x40")
	small.see("a part of it", has("part of 120×40"))
	small.press("Enter", "the agent alone", alone)
	sizes.are(t, "200x50", "120x40", "80x24")
	big.enter("big+")
	small.see("what the other types", has("big+"))
	small.enter("small+")
	big.see("what the other types", has("big+small+"))
	big.enter("again")
	small.see("what the other types", has("big+small+again"))

	small.press("C-q", "the dashboard", has("[4] ship-0", "● live", "big+small+again"))
	big.press("C-q", "the dashboard", has("[1] Agents", "[4] ship-0", "● live"))
	sizes.are(t, "200x50", "120x40", "80x24")
	big.press("q", "the shell", ashore)
	big.run(c.program + " shell ship-0")
	big.see("the agent alone", has("big+small+again"))
	sizes.are(t, "200x50", "120x40", "80x24", "120x40")
	small.press("o", "all ships", bottom("look closer"))
	small.press("f", "one ship", has("[4] ship-", "part of 120×40"))
	small.press("i", "that keys go to the ship", has("● LIVE"))
	small.enter("+and again")
	big.see("what the other types", has("big+small+again+and again"))
	small.press("C-q", "the end of that", hasNot("● LIVE"))
	big.press("C-q", "the shell", ashore)
	sizes.are(t, "200x50", "120x40", "80x24", "120x40")
}
