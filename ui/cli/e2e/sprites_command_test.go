//go:build long

package e2e

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/fleet/tokens"
)

// TestSpritesByCommand sails on sprites.dev without a token: the logged-in command sprite makes all requests, also for the
// helm after one that was killed.
func TestSpritesByCommand(t *testing.T) {
	t.Parallel()
	f := spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}})
	bin := t.TempDir()
	f.Command(bin, spriteRole)
	c := newCaptain(t, "PATH="+bin+":"+os.Getenv("PATH"))
	c.write(".sprites/sprites.json", `{"version":"1","current_selection":{"url":"https://api.sprites.dev","org":"acme"},"urls":{}}`)
	c.scan.also(f.Root)
	t.Cleanup(func() { c.ocaptain("sink", "--all", "-f") }) // runs before the fake service ends
	if out := c.ocaptain("doctor", "--provider", "sprites", "--agent", "script"); !strings.Contains(out, "acme") {
		t.Errorf("doctor: %s", out)
	}
	jobs := smallPlan(3, 2, "sleep 0.5")
	d := c.sail(c.plan("far", "", smallVerify(6), jobs), "-n", "2", "--provider", "sprites", "--agent", "script")
	c.until(d, "work under way", func(b fleet.Board) bool { _, n, _ := b.CountTasks(); return n > 0 })
	kill(c.helm())
	c.until(d, "work goes on", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n > 1 })
	checkVoyage(t, c, d, c.complete(d), jobs)
	c.ocaptain("sink", d.ID(), "-f")
	if left := f.Names(); len(left) > 0 {
		t.Errorf("after sink there are %s", left)
	}
	token, kept := f.Token(), tokens.StoreOf(c.hub).File("sprites")
	secret := token[strings.LastIndex(token, "/")+1:]
	c.secretOnlyIn(secret, kept)
	if raw, err := os.ReadFile(kept); err != nil || strings.Contains(string(raw), secret) {
		t.Errorf("helm was told the token: %v", err)
	}
}
