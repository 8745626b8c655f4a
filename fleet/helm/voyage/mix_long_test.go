//go:build long

package voyage

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider"
)

// TestMixedVoyage has ships of two providers. A provider that fails takes nothing from the other, a
// replaced ship stays at its provider, and adding a ship takes the name of a provider.
func TestMixedVoyage(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	broken := true
	second := another(t, hub)
	fromHosts(h, elsewhere{Provider: second, limits: provider.Limits{Machines: 4}, create: func(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
		if broken {
			return provider.Machine{}, errors.New("the host is on fire")
		}
		return second.Create(ctx, spec)
	}})
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "sleep 600"))
	sinkAfter(t, h, d)
	shipsFrom(t, d, "local=1,hosts=1", "script")
	v := openIt(t, h, d)
	silent := func(api.Progress) {}
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 5}, silent); !errors.Is(err, api.ErrRefused) {
		t.Fatalf("five ships of one and one: %v", err)
	}
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, silent); err != nil {
		t.Fatal(err)
	}
	if got := v.from(); got != "ship-0 local afloat, ship-1 hosts failed" {
		t.Fatalf("there are %s", got)
	}
	broken = false
	if err := v.Fit.Replace(context.Background(), "ship-1", silent); err != nil {
		t.Fatal(err)
	}
	if err := v.Fit.Add(context.Background(), api.AddRequest{Ships: 1}, silent); err == nil || !strings.Contains(err.Error(), "come from local and hosts: say from which with --provider") {
		t.Errorf("one more: %v", err)
	}
	if err := v.Fit.Add(context.Background(), api.AddRequest{Ships: 1, Provider: "moon"}, silent); !errors.Is(err, api.ErrRefused) {
		t.Errorf("one from the moon: %v", err)
	}
	if err := v.Fit.Add(context.Background(), api.AddRequest{Ships: 4, Provider: "hosts"}, silent); err == nil || !strings.Contains(err.Error(), "hosts allows 4 machines, and 1 are there or on their way: ask for 3") {
		t.Errorf("more than there may be: %v", err)
	}
	if err := v.Fit.Add(context.Background(), api.AddRequest{Ships: 1, Provider: "hosts"}, silent); err != nil {
		t.Fatal(err)
	}
	if got := v.from(); got != "ship-0 local afloat, ship-1 hosts afloat, ship-2 hosts afloat" {
		t.Fatalf("there are %s", got)
	}
	if all, err := second.List(context.Background(), nil); err != nil || len(all) != 2 {
		t.Errorf("elsewhere are %v, %v", all, err)
	}
}
