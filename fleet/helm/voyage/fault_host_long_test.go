//go:build long

package voyage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

// TestProviderIsDown has a host down while a ship is to be replaced, and again while all are to be
// sunk, with a restart of helm: helm tries both until they are done, and the captain reads why it
// takes so long.
func TestProviderIsDown(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	quay := hoststest.NewCaptain(t, hub.Home).Start("quay", nil)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), helmtest.Task("2", "echo 2 >two"))
	h := startHelm(t, hub, "quay*2")
	v := openIt(t, h, d)
	v.sets(t, 2)
	accepted(t, v)

	quay.Halt()
	if err := v.Fit.Replace(context.Background(), "ship-0", func(api.Progress) {}); !errors.Is(err, fit.ErrStays) {
		t.Errorf("replace: %v", err)
	}
	v.says(t, "ship-0", fleet.Leaving, fleet.UntilGone, "host quay cannot be reached")
	quay.Boot()
	eventually.Holds(t, "it has a new machine", when(v, func() bool {
		f := v.Roster.Ship("ship-0")
		return f.Built == 2 && f.Phase == fleet.Afloat
	}))
	if n := len(quayShips(quay)); n != 2 {
		t.Errorf("%d ships on the host", n)
	}

	quay.Halt()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	ended := make(chan error, 1)
	go func() { ended <- v.Fit.Sink(ctx, func(api.Progress) {}) }()
	v.says(t, "ship-0", fleet.Leaving, fleet.UntilGone, "host quay cannot be reached")
	h.Close()
	if err := <-ended; err == nil {
		t.Error("it was sunk, and nobody was there to do it")
	}
	if _, err := os.Stat(d.Secrets()); err != nil {
		t.Errorf("before all is gone: %v", err)
	}
	h = startHelm(t, hub, "quay*2")
	openIt(t, h, d).says(t, "ship-1", fleet.Leaving, fleet.UntilGone, "host quay cannot be reached")
	quay.Boot()
	eventually.Holds(t, "sunk", func() bool { f, err := fleet.LoadFleet(d); return err == nil && f.Phase == fleet.Sunk })
	sunk(t, h, d, leftOn(quay))
}

func quayShips(h *hoststest.Host) []string {
	found, _ := filepath.Glob(filepath.Join(h.Ships(), "voyage-*"))
	return found
}
