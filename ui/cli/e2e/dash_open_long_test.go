//go:build long

package e2e

import (
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestOpening opens the dashboard in the other ways.
func TestOpening(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)

	none := newDesk(t, c, 120, 40)
	none.see("what there is to do", has("no voyage yet", "ocaptain demo", "ocaptain plan make GOAL", "here, s does that", "ocaptain doctor", "missing here"))
	none.enter("V")
	none.see("that there is no voyage to choose", has("─ Voyages ─", "no voyage yet: esc, then s sails a plan"))
	none.enter("\x1b")
	none.see("the dashboard again", hasNot("─ Voyages ─"))
	none.leave(t)

	d := newDesk(t, c, 120, 40, "sail", c.plan("opened", "", passes, gatedPlan(1)), "-n", "1", "--agent", "script")
	d.see("the voyage that sails", has("[1] Agents", "opened", "[4] ship-0", "● live", "at the gate of 1"))
	d.leave(t)
	all := c.voyages()
	if len(all) != 1 {
		t.Fatalf("%d voyages", len(all))
	}
	id := all[0].ID()
	c.until(all[0], "its ship at work", func(b fleet.Board) bool { return b.Ships[0].Status.Word == fleet.Working })

	for _, name := range []string{id, id[:len("voyage-")+4], strings.TrimPrefix(id, "voyage-")[:4]} {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}} {
			d := newDesk(t, c, size[0], size[1], name)
			d.see("the voyage", has("opened", "ship-0", "working"))
			d.leave(t)
		}
	}
	small := newDesk(t, c, 20, 8, id)
	small.see("that there is no room", has("too small"))
	small.leave(t)

	out, code := c.try()
	if code != 0 || !strings.Contains(out, id) || !strings.Contains(out, "sailing") || strings.Contains(out, "\x1b") {
		t.Errorf("without a terminal: exit code %d\n%q", code, out)
	}
	if out, code := c.try("voyage-000000000000"); code == 0 {
		t.Errorf("a voyage that is not there: %s", out)
	}
	nowhere := newDesk(t, c, 120, 40, "voyage-000000000000")
	if code := nowhere.exit(); code == 0 {
		t.Errorf("a voyage that is not there: %s", nowhere.look().text)
	}
}
