package voyage

import (
	"context"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/fleet/tokens"
	"ocaptain/tasks"
)

// atSprites gives the captain of a hub an account on a sprites.dev of the test's own.
func atSprites(t *testing.T, f *spritestest.Fake, hub fleet.Hub) {
	t.Helper()
	if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: f.Token(), URL: f.URL}); err != nil {
		t.Fatal(err)
	}
}

func newSprites(t *testing.T) *spritestest.Fake {
	t.Helper()
	return spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}, Latency: 5 * time.Millisecond})
}

func newExe(t *testing.T) *exedevtest.Fake {
	t.Helper()
	return exedevtest.Start(t, exedevtest.Config{Latency: 5 * time.Millisecond, TellUser: true})
}

// farVoyage makes the directory of a voyage whose ships are to come from elsewhere.
func farVoyage(t *testing.T, hub fleet.Hub, provider string, plan ...tasks.Task) fleet.Dir {
	t.Helper()
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", plan...)
	comesFrom(t, d, provider)
	return d
}

// comesFrom lets a voyage that is not opened yet have its ships from a provider.
func comesFrom(t *testing.T, d fleet.Dir, provider string) {
	t.Helper()
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		t.Fatal(err)
	}
	v.Provider = provider
	if err := v.Save(d); err != nil {
		t.Fatal(err)
	}
}

// sailFar sails a voyage with so many ships.
func sailFar(t *testing.T, h *Set, d fleet.Dir, ships int) *Voyage {
	t.Helper()
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: ships}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	return v
}

// noRecords fails the test when a machine is on record that is not gone. A gone machine may still be looked for
// once more.
func noRecords(t *testing.T, hub fleet.Hub) {
	t.Helper()
	if all, err := machines.Of(hub).All(); err != nil || slices.ContainsFunc(all, isLeft) {
		t.Errorf("on record are %+v, %v", all, err)
	}
}

func isLeft(r machines.Record) bool { return !r.Gone || r.Again.IsZero() }

// farAway gives the hub an account on a sprites.dev.
func farAway(t *testing.T, hub fleet.Hub, o spritestest.Options) *spritestest.Fake {
	t.Helper()
	o.Exe, o.Args = program, []string{"aboard", "sshd"}
	f := spritestest.Start(t, o)
	atSprites(t, f, hub)
	return f
}
