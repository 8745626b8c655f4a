//go:build long

package voyage

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestWaitsForItsTurn has room for one machine in five minutes: the ship that waits says so, and when the other one has done
// all tasks no machine is made for it.
func TestWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far := spritestest.Start(t, spritestest.Options{Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, CreatesPerMinute: 1, Second: 5 * time.Second})
	helmtest.AtSprites(t, far, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n", gated("1", "echo 1 >one"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	ended := make(chan error, 1)
	go func() { ended <- v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 2}, func(api.Progress) {}) }()
	waits := func() string {
		for _, s := range v.Board().Ships {
			if strings.Contains(s.Status.Reason, "create waits: ") && strings.Contains(s.Status.Reason, "too many sprites") {
				return s.Name
			}
		}
		return ""
	}
	eventually.Holds(t, "one waits and says why", func() bool { return waits() != "" })
	slow := waits()
	v.works(t, map[string]string{"ship-0": "ship-1", "ship-1": "ship-0"}[slow])
	openGates(t, far.Root)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := len(far.Names()); n != 1 {
		t.Errorf("%d machines", n)
	}
	v.says(t, slow, fleet.Errored, "no machine was made: all tasks were done before its turn came")
	aftermath(t, h, d, far.Names)
}
