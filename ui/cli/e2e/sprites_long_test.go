//go:build long

package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// setenv changes the captain's environment.
func (c *captain) setenv(name, value string) {
	c.env = slices.DeleteFunc(c.env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	c.env = append(c.env, name+"="+value)
	c.scan.add(secretsOf(c.env)...)
}

// TestSpritesToken revokes the token in the middle of a voyage: the captain is told, and with another token the
// voyage goes on.
func TestSpritesToken(t *testing.T) {
	t.Parallel()
	f, c := newSprites(t, spritestest.Options{})
	good := f.Token()
	for _, wrong := range []struct{ token, want string }{
		{"", "SPRITES_TOKEN is not set"},
		{"acme/org-1/token-1/not the token", "copy it again"},
		{"acme/org-1/token-1/guessed", "does not accept the token"},
	} {
		c.setenv("SPRITES_TOKEN", wrong.token)
		for _, args := range [][]string{{"sail", "example:tiny", "--agent", "script"}, {"doctor", "--agent", "script"}} {
			if out, code := c.try(args...); code == 0 || !strings.Contains(out, wrong.want) {
				t.Errorf("%s with %q: exit %d\n%s", args[0], wrong.token, code, out)
			}
		}
	}
	if len(f.Names()) > 0 || len(c.voyages()) > 0 {
		t.Fatalf("something was made: %s, %s", f.Names(), c.voyages())
	}
	c.setenv("SPRITES_TOKEN", good)
	if out := c.ocaptain("doctor", "--agent", "script"); !strings.Contains(out, "acme") {
		t.Errorf("doctor: %s", out)
	}
	jobs := smallPlan(8, 1, "sleep 0.5")
	d := c.sail(c.plan("revoked", "", smallVerify(8), jobs), "-n", "1", "--agent", "script")
	c.until(d, "work under way", func(b fleet.Board) bool { _, n, _ := b.CountTasks(); return n > 0 })
	fresh := f.Revoke()
	b := c.until(d, "the captain reads why", func(b fleet.Board) bool {
		return b.Ships[0].Status.Word == fleet.Unreachable && strings.Contains(b.Ships[0].Status.Reason, "does not accept the token")
	})
	t.Logf("%s", b.Ships[0].Status.Reason)
	if out := c.ocaptain("status", d.ID()); !strings.Contains(out, "token") {
		t.Errorf("status says:\n%s", out)
	}
	c.setenv("SPRITES_TOKEN", fresh)
	c.ocaptain("doctor", "--agent", "script")
	checkVoyage(t, c, d, c.complete(d), jobs)
}

// TestSinkWithoutLogin revokes the token before a sink without a terminal: the sink ends and says why. With another token helm finishes it
// by itself.
func TestSinkWithoutLogin(t *testing.T) {
	t.Parallel()
	f, c := newSprites(t, spritestest.Options{})
	d := c.sail(c.plan("stays", "", smallVerify(1), smallPlan(1, 1, "true")), "-n", "1", "--agent", "script")
	c.complete(d)
	fresh := f.Revoke()
	if out, code := c.try("sink", "--force", d.ID()); code != 6 || !strings.Contains(out, "does not accept the token") || !strings.Contains(out, "log in with the provider again") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	if out, code := c.try("sink", "--force", d.ID()); code != 6 || !strings.Contains(out, "does not accept the token") {
		t.Errorf("without the voyage's directory: exit %d\n%s", code, out)
	}
	c.setenv("SPRITES_TOKEN", fresh)
	c.ocaptain("doctor", "--agent", "script")
	c.ocaptain("sink", "--force", d.ID())
	if left := f.Names(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
