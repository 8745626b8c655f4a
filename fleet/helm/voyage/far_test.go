package voyage

import (
	"crypto/ed25519"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"

	"golang.org/x/crypto/ssh"
)

// atExe gives the hub an account at a stand-in for exe.dev, and returns its token.
func atExe(t *testing.T, hub fleet.Hub, c exedevtest.Config) (*exedevtest.Fake, string) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	c.Keys, c.TellUser = []ssh.PublicKey{key}, true
	f := exedevtest.Start(t, c)
	return f, helmtest.AtExe(t, f, hub)
}

// sailFar sails a voyage with so many ships.
func sailFar(t *testing.T, h *helm, d fleet.Dir, ships int) *Voyage {
	t.Helper()
	v := openIt(t, h, d)
	v.sets(t, ships)
	return v
}

// farAway gives the hub an account on a sprites.dev.
func farAway(t *testing.T, hub fleet.Hub, o spritestest.Options) *spritestest.Fake {
	t.Helper()
	o.Exe, o.Args = helmtest.Program, []string{"aboard", "sshd"}
	f := spritestest.Start(t, o)
	helmtest.AtSprites(t, f, hub)
	return f
}
