//go:build long

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestSweep removes the directory of a voyage under way while helm is down: doctor and sweep report its sprite, and
// sweep destroys it when the captain confirms. The sprites of another voyage and of another laptop stay. The voyage
// whose directory is gone could also be sunk by its name.
func TestSweep(t *testing.T) {
	t.Parallel()
	f, c := newSprites(t, spritestest.Options{Latency: 5 * time.Millisecond})
	c.setenv("EXE_TOKEN", "") // otherwise the sweep asks the real exe.dev
	const strange = "voyage-ffffffffffff-ship0"
	f.Add(strange, "ocaptain:0123456789ab")
	t.Cleanup(func() { f.Remove(strange) })
	plan := c.plan("swept", "", smallVerify(1), smallPlan(1, 1, "sleep 600"))
	gone := c.sail(plan, "-n", "1", "--agent", "script")
	second := c.sail(plan, "-n", "1", "--agent", "script")
	kept := c.sail(plan, "-n", "1", "--agent", "script")
	if out := c.ocaptain("sweep", "--dry-run"); !strings.Contains(out, "Every machine of this install has its voyage.") || !strings.Contains(out, strange) {
		t.Errorf("sweep says:\n%s", out)
	}
	c.ocaptain("helm", "stop")
	for _, d := range []fleet.Dir{gone, second} {
		if err := os.RemoveAll(string(d)); err != nil {
			t.Fatal(err)
		}
	}
	if out := c.ocaptain("doctor", "--provider", "sprites", "--agent", "script"); !strings.Contains(out, gone.ID()) || !strings.Contains(out, "ocaptain sweep") {
		t.Errorf("doctor without helm says:\n%s", out)
	}
	machine := func(d fleet.Dir) string { return d.ID() + "-ship0" }

	out, code := c.try("sink", second.ID())
	if code != 4 || !strings.Contains(out, "1 ship") && !strings.Contains(out, "you did not confirm") {
		t.Errorf("sink without a word: exit %d\n%s", code, out)
	}
	c.ocaptain("sink", second.ID(), "-f")
	if slices.Contains(f.Names(), machine(second)) {
		t.Error("what is gone was not sunk")
	}
	var found struct {
		Orphans, Others []struct{ Name, Why string }
		Unasked         []any
	}
	if err := json.Unmarshal([]byte(c.ocaptain("sweep", "--dry-run", "--json")), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Orphans) != 1 || found.Orphans[0].Name != machine(gone) || len(found.Others) != 1 || found.Others[0].Name != strange || len(found.Unasked) > 0 {
		t.Errorf("found %+v", found)
	}
	if out := c.ocaptain("doctor", "--provider", "sprites", "--agent", "script"); !strings.Contains(out, machine(gone)) {
		t.Errorf("doctor says:\n%s", out)
	}
	for _, refused := range []struct {
		args []string
		code int
	}{
		{[]string{"sweep"}, 4},                    // no terminal to confirm at
		{[]string{"sweep", strange, "-f"}, 4},     // no terminal to type its name at
		{[]string{"sweep", machine(kept)}, 3},     // the machine belongs to a voyage
		{[]string{"sweep", "--provider", "x"}, 2}, // there is no such provider
	} {
		if out, code := c.try(refused.args...); code != refused.code {
			t.Errorf("%v: exit %d\n%s", refused.args, code, out)
		}
	}
	if out := c.ocaptain("sweep", "-f"); !strings.Contains(out, "1 machine destroyed") || !strings.Contains(out, "brought home") {
		t.Errorf("sweep says:\n%s", out)
	}
	left := f.Names()
	slices.Sort(left)
	want := []string{machine(kept), strange}
	if slices.Sort(want); !slices.Equal(left, want) {
		t.Errorf("sprites: %q", left)
	}
	if bundles, _ := filepath.Glob(filepath.Join(c.hub.Voyages, "left-behind", "*.bundle")); len(bundles) != 2 {
		t.Errorf("brought home: %q", bundles)
	}
	c.setenv("SPRITES_TOKEN", "")
	f.Revoke()
	if out, code := c.try("sweep", "--dry-run"); code != 1 || !strings.Contains(out, "sprites was not asked") {
		t.Errorf("with a bad token: exit %d\n%s", code, out)
	}
	c.setenv("SPRITES_TOKEN", f.Token())
	c.ocaptain("sweep", "--dry-run") // this gives helm the new token
}
