//go:build long

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks/eventually"
)

// TestRealAgentsInSight looks at three ships with the real Claude Code: the live view shows Claude Code's own
// interface cell by cell, on the wall and behind Enter.
func TestRealAgentsInSight(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	var jobs []job
	for i := range 3 {
		jobs = append(jobs, job{id: fmt.Sprint(i + 1), subject: fmt.Sprintf("Build part %d", i+1), run: fmt.Sprintf("echo %d >part%d", i, i)})
	}
	plan := c.plan("sighted", "", passes, jobs)
	for _, j := range jobs { // a worker reads a command where a model reads its task
		name := filepath.Join(c.home, "sighted", "tasks", j.id+".json")
		raw, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Replace(string(raw), "Run: ", "RUN: ", 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d := c.sail(plan, "-n", "3", "--agent", "claude", "--unconfined")
	w := newWindow(t, c, 220, 60)
	w.run(c.program)
	w.see("the dashboard", has("[1] Agents", "ship-2", "● helm"))
	c.complete(d)
	c.until(d, "all at rest", func(b fleet.Board) bool {
		for _, s := range b.Ships {
			if s.Status.Word != fleet.Done {
				return false
			}
		}
		return true
	})

	w.press("4 f", "its interface", has("[4] ship-0", "● live", "Claude Code", "Nothing is claimable. I end my turn."))
	eventually.Succeeds(t, "the live view is what the ship's terminal shows", func() error {
		if why := differs(w.look(), viewOf(c.aboard(t, d, "ship-0", "capture-pane", "-p", "-e", "-N", "-t", "=ship:"), 200, 50)); why != "" {
			return errors.New(why)
		}
		return nil
	})
	w.press("q", "the dashboard", has("[1] Agents"))
	w.press("o", "three of them", func(v view) bool { return strings.Count(v.text, "Claude Code") == 3 })
	w.press("Enter", "the agent alone", all(has("Nothing is claimable"), hasNot("─ ship-1 ─")))
	w.enter("a word from the captain")
	w.see("what was typed", has("a word from the captain"))
	c.shows(t, d, "ship-0", "a word from the captain")
	w.press("C-q", "the wall", has("─ ship-1 ─", "a word from the captain"))
	w.press("o", "the dashboard", has("[1] Agents"))
	w.press("4 i", "that keys go to the ship", has("● LIVE ship-0"))
	w.enter(" and one more")
	w.see("what was typed", has("a word from the captain and one more"))
	w.press("C-q", "the end of that", hasNot("● LIVE"))
}

// differs says where the live view of a ship differs from the ship's terminal. The upper left corner of the live view
// is below the header and the border.
func differs(shown, real view) string {
	cols, rows := real.cells.Size()
	for y := range rows {
		for x := range cols {
			a, b := shown.cells.CellAt(x+1, y+2), real.cells.CellAt(x, y)
			attrs := ^sgr.Attr(0)
			if strings.TrimSpace(b.Text) == "" {
				attrs = sgr.Reverse // of a blank, only reverse video can be seen
			}
			if strings.TrimSpace(a.Text) != strings.TrimSpace(b.Text) || b.Text != "" && a.Width != b.Width || a.Style.Attrs&attrs != b.Style.Attrs&attrs {
				return fmt.Sprintf("row %d, column %d: %q %v is shown, %q %v is there", y, x, a.Text, a.Style, b.Text, b.Style)
			}
		}
	}
	return ""
}
