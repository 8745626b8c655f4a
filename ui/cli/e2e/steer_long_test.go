//go:build long

package e2e

import (
	"testing"
)

// TestNewerProgramTakesOver runs a command of a newer build in the middle of a voyage: helm is replaced and the ships
// do not notice.
func TestNewerProgramTakesOver(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := smallPlan(3, 2, "sleep 0.5")
	d := c.sail(c.plan("upgrade", "", smallVerify(6), jobs), "-n", "2", "--agent", "script")
	before := c.helm()
	c.takeWatched() // this program was built later
	c.ocaptain("requeue", "--help")
	c.try("requeue", "999") // refused, but it replaces helm first
	after := c.helm()
	if before == 0 || after == 0 || before == after {
		t.Errorf("helm was process %d, is %d", before, after)
	}
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	for _, s := range board.Ships {
		if s.Built != 1 {
			t.Errorf("%s had %d machines", s.Name, s.Built)
		}
	}
}
