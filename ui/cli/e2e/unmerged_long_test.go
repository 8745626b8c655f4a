//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestUnmergedWorkIsKept sinks a ship whose agent did something after its last task: merged work does not count as
// unmerged, and the unmerged work can be found afterwards.
func TestUnmergedWorkIsKept(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sail(c.plan("after", "", smallVerify(1), smallPlan(1, 1, "true")), "-n", "1", "--agent", "script")
	c.complete(d)
	b := c.until(d, "nothing unmerged", func(b fleet.Board) bool { return b.Ships[0].IsNone() && !b.Ships[0].Copied.IsZero() })
	if out := c.ocaptain("diff", "ship-0"); !strings.Contains(out, "ship-0, not merged yet: nothing") {
		t.Errorf("diff of what was merged:\n%s", out)
	}
	if err := os.WriteFile(filepath.Join(b.Ships[0].Home, "voyage", "workspace", "afterwards"), []byte("work\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := c.ocaptain("sink", d.ID(), "--force"); !strings.Contains(out, "its work is in "+d.Workspace()) || !strings.Contains(out, "refs/ocaptain/parked/ship-0/") {
		t.Errorf("sink:\n%s", out)
	}
	if out := c.ocaptain("diff", "ship-0"); !strings.Contains(out, "+work") || strings.Contains(out, "r0w0") {
		t.Errorf("diff afterwards:\n%s", out)
	}
	if out := c.ocaptain("clone", "-d", "mine"); !strings.Contains(out, "voyage/unmerged/ship-0") {
		t.Errorf("clone:\n%s", out)
	}
	if got := c.git(filepath.Join(c.home, "mine"), "show", "voyage/unmerged/ship-0:afterwards"); got != "work" {
		t.Errorf("the clone has %q", got)
	}
}
