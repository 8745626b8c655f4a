//go:build long

package voyage

import (
	"net"
	"os"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/hosts/hoststest"
)

// TestNamesLeadAstray has the name of a ship's host lead nowhere, to a stranger, and at last to
// another address of the host. The agent works on meanwhile; the captain reads what is wrong; the
// ship goes on by itself, with the claim that it had.
func TestNamesLeadAstray(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	owner := hoststest.NewCaptain(t, hub.Home)
	quay := owner.Start("quay", nil, "ListenAddress 127.0.0.3")
	_, port, _ := net.SplitHostPort(quay.Addr)
	stranger := owner.Start("stranger", nil, "ListenAddress 127.0.0.2:"+port)
	owner.Configure("Host harbour\n  Include " + owner.Home + "/.ssh/harbour\n  HostKeyAlias quay.test\n  Port " + port +
		"\n  IdentityFile " + owner.Key + "\n  UserKnownHostsFile " + owner.Home + "/.ssh/known_hosts\n")
	owner.Knows("quay.test", quay.Key)
	leads(owner, "127.0.0.1")

	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", gated("1", "echo 1 >one"))
	h := startHelm(t, hub, "harbour")
	v := openIt(t, h, d)
	v.sets(t, 1)
	claim := v.works(t, "ship-0")

	leads(owner, "nowhere.invalid")
	quay.Cut()
	v.says(t, "ship-0", fleet.Unreachable, "harbour", "Could not resolve hostname nowhere.invalid")
	leads(owner, "127.0.0.2")
	v.says(t, "ship-0", fleet.Unreachable, "harbour", "host key changed", ssh.FingerprintSHA256(stranger.Key), "-R \"quay.test\"")
	openGates(t, quay.Home) // the agent finishes its work while helm is away
	leads(owner, "127.0.0.3")
	aftermath(t, h, d, leftOn(quay, stranger))
	if now := v.Store.Snapshot().Task("1"); now.Epoch != claim.Epoch {
		events, _ := os.ReadFile(d.Events())
		t.Errorf("it was claimed again: epoch %d, then %d\n%s", claim.Epoch, now.Epoch, events)
	}
}
