//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestAwakeWithoutHelm stops helm while an agent works on a sprite. The sprite stays awake long after an unused sprite is
// paused, is paused when the work is over, and the next helm wakes it and takes the work.
func TestAwakeWithoutHelm(t *testing.T) {
	t.Parallel()
	const second = 300 * time.Millisecond // a second of sprites.dev: what the agent asks for in its first minute lasts until after this test
	f, c := newSprites(t, spritestest.Options{Second: second})
	jobs := smallPlan(1, 1, "until [ -e ~/cast-off ]; do sleep 0.3; done")
	d := c.sail(c.plan("alone", "", smallVerify(1), jobs), "-n", "1", "--agent", "script")
	c.until(d, "work under way", func(b fleet.Board) bool { _, n, _ := b.CountTasks(); return n > 0 })
	name := f.Names()[0]
	c.ocaptain("helm", "stop")
	asked := len(f.Requests())
	for _, unused := range []string{"unused-0", "unused-1"} { // one after the other, as each is paused after it was idle for a time
		f.Add(unused)
		f.Serve(unused, "nothing", "sleep", "1000000")
		eventually.Holds(t, "a sprite that nobody uses is paused", func() bool {
			if got := f.Status(name); got != "running" {
				t.Fatalf("while the agent works its sprite is %s, kept awake by %v", got, f.Tasks(name))
			}
			return f.Status(unused) == "warm"
		})
		f.Remove(unused)
	}
	if got := f.Tasks(name); !slices.Equal(got, []string{"ocaptain-agent"}) {
		t.Errorf("it is kept awake by %v", got)
	}
	if err := os.WriteFile(filepath.Join(f.Home(name), "cast-off"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the work is over, and its sprite is paused", func() error {
		if got := f.Status(name); got != "warm" {
			return fmt.Errorf("%v keeps it %s", f.Tasks(name), got)
		}
		return nil
	})
	if n := len(f.Requests()); n != asked {
		t.Errorf("sprites.dev was asked %q meanwhile", f.Requests()[asked:])
	}
	c.ocaptain("status", d.ID()) // starts helm
	checkVoyage(t, c, d, c.complete(d), jobs)
}
