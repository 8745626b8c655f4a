//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestAwakeWithoutHelm stops helm while an agent works on a sprite. The sprite stays awake long after one that nobody uses is
// paused, is paused when the work is over, and the next helm wakes it and takes the work.
func TestAwakeWithoutHelm(t *testing.T) {
	t.Parallel()
	const (
		second = 300 * time.Millisecond // of sprites.dev: what the agent asks for in its first minute lasts until after this test
		idle   = spritestest.IdlePause * second
	)
	f, c := newSprites(t, spritestest.Options{Second: second})
	jobs := smallPlan(1, 1, "until [ -e ~/cast-off ]; do sleep 0.05; done")
	d := c.sail(c.plan("alone", "", smallVerify(1), jobs), "-n", "1", "--agent", "script")
	c.until(d, "work under way", 3*time.Minute, func(b fleet.Board) bool { _, n, _ := b.CountTasks(); return n > 0 })
	name := f.Names()[0]
	c.ocaptain("helm", "stop")
	asked := len(f.Requests())
	for end := time.Now().Add(2 * idle); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // nothing must happen
		if got := f.Status(name); got != "running" {
			t.Fatalf("while the agent works its sprite is %s, kept awake by %v", got, f.Tasks(name))
		}
	}
	if got := f.Tasks(name); !slices.Equal(got, []string{"ocaptain-agent"}) {
		t.Errorf("it is kept awake by %v", got)
	}
	if err := os.WriteFile(filepath.Join(f.Home(name), "cast-off"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	over := time.Now()
	for f.Status(name) != "warm" {
		if time.Since(over) > time.Minute {
			t.Fatalf("the work is over, and %v keeps the sprite %s", f.Tasks(name), f.Status(name))
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("paused %s after the end of its work", time.Since(over).Round(time.Second))
	if n := len(f.Requests()); n != asked {
		t.Errorf("sprites.dev was asked %q meanwhile", f.Requests()[asked:])
	}
	c.ocaptain("status", d.ID()) // starts helm
	checkVoyage(t, c, d, c.complete(d, 3*time.Minute), jobs)
}
