//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestMixedVoyage sails with a ship at sprites.dev, whose first create is refused, and one on this machine, and adds
// one more at sprites.dev. All of them work, and the captain can read how they were provisioned.
func TestMixedVoyage(t *testing.T) {
	t.Parallel()
	f, c := newSprites(t, spritestest.Options{Latency: 5 * time.Millisecond})
	f.Plan(spritestest.Fault{Method: "POST", Path: "/v1/sprites", Times: 1, Misdeed: spritestest.Refuse})
	jobs := smallPlan(2, 3, "until [ -e ~/cast-off ]; do sleep 0.3; done")
	d := c.sail(c.plan("mixed", "", smallVerify(6), jobs), "--provider", "sprites=1,local=1", "--agent", "script")
	c.ocaptain("ship", "add", "--provider", "sprites", "-v", d.ID())
	if out, code := c.try("ship", "add", "-v", d.ID()); code == 0 || !strings.Contains(out, "come from sprites and local: say from which with --provider") {
		t.Errorf("one more from somewhere: exit %d\n%s", code, out)
	}
	b := c.until(d, "all ships at work", func(b fleet.Board) bool { _, n, _ := b.CountTasks(); return n == 3 })
	for _, s := range b.Ships {
		home := s.Home
		if s.Provider == "sprites" {
			home = f.Home(s.Machine.Name)
		}
		if err := os.WriteFile(filepath.Join(home, "cast-off"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b = c.complete(d)
	checkVoyage(t, c, d, b, jobs)
	var from []string
	for _, s := range b.Ships {
		from = append(from, s.Provider)
		if s.Completed == 0 {
			t.Errorf("%s from %s did nothing", s.Name, s.Provider)
		}
	}
	if !slices.Equal(from, []string{"sprites", "local", "sprites"}) {
		t.Errorf("ships are from %s", from)
	}
	if names := f.Names(); len(names) != 2 {
		t.Errorf("sprites: %s", names)
	}
	if v, err := fleet.LoadVoyage(d); err != nil || v.Provider != "sprites=1,local=1" || v.ShipCount != 2 {
		t.Errorf("voyage.json has %q and %d, %v", v.Provider, v.ShipCount, err)
	}
	if out := c.ocaptain("status", d.ID()); !strings.Contains(out, "FROM") {
		t.Errorf("status says:\n%s", out)
	}
	out := c.ocaptain("logs", "--provision", d.ID(), "0")
	for _, want := range []string{"is provisioned as " + d.ID() + "-ship0 from sprites", "create done in ", "launch done in ", "ready after "} {
		if !strings.Contains(out, want) {
			t.Errorf("the log does not tell %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "[ship-1]") {
		t.Errorf("the log of one ship tells of another:\n%s", out)
	}
}
