//go:build long

package voyages

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestSinkWhatIsGone sinks a voyage whose directory was removed, while its provider is down: helm goes on with what it
// remembers, and another organization's token does not replace the token that sinks it.
func TestSinkWhatIsGone(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far := helmtest.Sprites(t)
	helmtest.AtSprites(t, far, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n")
	first := newSet(t, hub)
	sail(t, first, d)
	first.Close()
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	id := d.ID()
	if got, err := machines.Of(hub).GoneVoyage(hub.Voyages, id[len("voyage-"):len("voyage-")+6]); err != nil || got != id {
		t.Fatalf("gone: %q, %v", got, err)
	}
	h := newSet(t, hub)
	if err := h.Machines.Resume(); err != nil {
		t.Fatal(err)
	}
	far.Plan(spritestest.Fault{Method: "DELETE", Times: 1000, Misdeed: spritestest.Refuse})
	err := h.sinkDamaged(d, func(api.Progress) {})
	if err == nil || !strings.Contains(err.Error(), fleet.UntilGone) {
		t.Fatalf("sink: %v", err)
	}
	if found := find(t, h); len(found.Orphans) != 1 || !found.Orphans[0].Unwanted {
		t.Errorf("found %+v", found)
	}
	far.Forgive()
	eventually.Holds(t, "it is gone", func() bool { return len(far.Names()) == 0 })
	eventually.Holds(t, "it is struck out", func() bool { return !machines.Of(hub).Has(machines.ID{Provider: "sprites", Name: id + "-ship0"}) })
	if _, err := os.Stat(string(d)); !os.IsNotExist(err) {
		t.Errorf("its directory is there again: %v", err)
	}
}
