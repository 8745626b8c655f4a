//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
)

// TestGuards sails with ships that count as costly: the captain hears of the idle ship, reads ages and prices, and
// has nothing left to sink when the voyage is verified, although helm is killed on the way.
func TestGuards(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.write(".config/ocaptain/config.yaml", "price: {local: 0.10}\nidle_warning: 2s\nmax_age: 1h\n")
	wait := job{id: "1", subject: "Wait for the captain", run: "while [ ! -e ~/go ]; do sleep 0.3; done; echo 1 >one"}
	plan := c.plan("guarded", "", smallVerify(1), []job{wait})
	for _, wrong := range [][2]string{{"--max-age=soon", `--max-age is "soon"; it must be a duration like 30m`}, {"--max-age=-1h", `--max-age is "-1h"`}} {
		if out, code := c.try("sail", plan, "--agent", "script", wrong[0]); code != 2 || !strings.Contains(out, wrong[1]) {
			t.Errorf("%s: exit %d\n%s", wrong[0], code, out)
		}
	}
	d := c.sail(plan, "-n", "2", "--agent", "script", "--max-age", "8h", "--sink-when-done")
	const why = "costs, and has rested for more than 2s with nothing to claim"
	b := c.until(d, "the one that rests is told of", func(b fleet.Board) bool {
		return len(b.Notes) > 0 && strings.Contains(b.Ships[0].Guard+b.Ships[1].Guard, why)
	})
	if g := b.Voyage.Guards; g.MaxAge != 8*time.Hour || !g.SinkOld || !g.SinkVerified {
		t.Errorf("guards: %+v", g)
	}
	out := c.ocaptain("status", d.ID())
	for _, want := range []string{why, "$0.20 an hour", "by your own prices", "AGE", "IDLE"} {
		if !strings.Contains(out, want) {
			t.Errorf("status has no %q:\n%s", want, out)
		}
	}
	if out := c.ocaptain("status", "--all"); !strings.Contains(out, "2 machines: 2 at local") {
		t.Errorf("status --all:\n%s", out)
	}
	kill(b.Helm)
	for _, s := range b.Ships {
		if err := os.WriteFile(filepath.Join(s.Home, "go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.until(d, "verified, and sunk by itself", func(b fleet.Board) bool { return b.Phase == fleet.Sunk })
	f, err := fleet.LoadFleet(d)
	if err != nil || !f.Verify.Passed || len(f.Ships) > 0 || f.Gone["local"] <= 0 {
		t.Errorf("afterwards: %+v, %v", f, err)
	}
	if left := proctest.With(filepath.Join(c.hub.State, "ships")); len(left) > 0 {
		t.Errorf("processes left: %s", left)
	}
	if _, err := os.Stat(filepath.Join(d.Workspace(), "one")); err != nil {
		t.Error(err)
	}
	if out, _ := c.try("doctor", "--agent", "script"); !strings.Contains(out, "0 machines") {
		t.Errorf("doctor:\n%s", out)
	}
}
