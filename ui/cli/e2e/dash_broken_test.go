package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
)

// TestShipDiesInSight kills a whole ship while the captain looks at it: its last picture stays, dimmed, with what
// helm does about it, until the ship is back.
func TestShipDiesInSight(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "wreck", 2, gatedPlan(3))
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	task := c.ship(t, d, "ship-0").Task
	dead := 0
	for _, p := range proctest.With(filepath.Join(c.hub.State, "ships", d.ID()+"-ship0")) {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err == nil {
			kill(pid)
			dead++
		}
	}
	if dead == 0 {
		t.Fatal("found no process of ship-0")
	}
	w.see("its last picture, dim", all(has("reconnecting", "last seen"), faint("at the gate of "+task)))
	w.press("] [", "ship-0 again", has("[4] ship-0"))
	w.see("it live, at work again", all(has("[4] ship-0", "● live", "at the gate of "), func(v view) bool { return !faint("at the gate of")(v) }))
	c.until(d, "both ships at work", func(b fleet.Board) bool {
		return b.Ships[0].Status.Word == fleet.Working && b.Ships[1].Status.Word == fleet.Working
	})
}

// faint returns a sight of a text that is dim: fainter than other text, by colour or by attribute.
func faint(text string) sight {
	return func(v view) bool {
		for y, line := range strings.Split(v.text, "\n") {
			if at := strings.LastIndex(line, text); at >= 0 {
				style := v.cells.CellAt(len([]rune(line[:at])), y).Style
				return style.Attrs&sgr.Faint != 0 || style.Fg.Kind() != sgr.DefaultColor
			}
		}
		return false
	}
}
