//go:build long

package voyage

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// spritesOf tells which sprites a service has.
func spritesOf(f *spritestest.Fake) func() []string { return f.Names }

// TestHostKeyChanges has a machine come back with another host key, as one does that was rebuilt
// or that is somebody else's. It gets nothing. Once it shows its own key it goes on by itself; and
// where that is gone for good, the captain does what the message says.
func TestHostKeyChanges(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f := farAway(t, hub, spritestest.Options{})
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n", gated("1", "echo 1 >one"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")

	ship := v.Roster.Ship("ship-0")
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(ship.HostKey))
	if err != nil {
		t.Fatal(err)
	}
	name := ship.Machine.Name
	file := filepath.Join(f.Home(name), filepath.Dir(sshd.StandingKeys), "host_key")
	rekey := func(key []byte) {
		t.Helper()
		f.Chill(name)
		err := os.Remove(file)
		if err == nil && key != nil {
			err = os.WriteFile(file, key, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	own, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rekey(nil)
	why := []string{"ship-0: the host key changed", "pinned " + ssh.FingerprintSHA256(pinned), "seen SHA256:", "then replace the ship"}
	v.says(t, "ship-0", fleet.Unreachable, why...)
	v.tells(t, why...)

	rekey(own)
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	s.Reach.Link().RetryNow() // it would look again half a minute later
	v.says(t, "ship-0", fleet.Working)

	rekey(nil)
	v.says(t, "ship-0", fleet.Unreachable, why...)
	if err := v.Fit.Replace(context.Background(), "ship-0", func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	openGates(t, f.Home(v.Roster.Ship("ship-0").Machine.Name))
	aftermath(t, h, d, spritesOf(f))
}
