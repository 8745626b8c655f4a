package voyage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// elsewhere stands in for another provider.
type elsewhere struct {
	provider.Provider
	limits provider.Limits
	create func(context.Context, provider.Spec) (provider.Machine, error) // nil for that of the provider
}

func (e elsewhere) Limits() provider.Limits { return e.limits }

func (e elsewhere) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if e.create != nil {
		return e.create(ctx, spec)
	}
	return e.Provider.Create(ctx, spec)
}

// called is a provider in the place of another one.
type called struct {
	provider.Provider
	name string
}

func (c called) Name() string { return c.name }

// fromHosts has ships of hosts come from another provider.
func fromHosts(h *helm, p provider.Provider) {
	h.Providers["hosts"] = h.Machines.Use(called{p, "hosts"})
}

// another makes a second local provider, with ships of its own.
func another(t testing.TB, hub fleet.Hub) provider.Provider {
	t.Helper()
	hub.State = filepath.Join(hub.Home, "elsewhere")
	p, err := local.Of(describe.Env{Hub: hub, Exe: helmtest.Program})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// from returns where each ship comes from, in their order.
func (v *Voyage) from() string {
	return reads(v, func() string {
		var all []string
		for _, s := range v.Roster.Now().Ships {
			all = append(all, s.Name+" "+s.Provider+" "+string(s.Phase))
		}
		return strings.Join(all, ", ")
	})
}

// TestCanaries lets one ship of each provider go ahead, at the same time; when it fails the
// others of that provider are not tried.
func TestCanaries(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	var mu gosync.Mutex
	var asked []string
	both := make(chan struct{})
	create := func(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
		mu.Lock()
		asked = append(asked, spec.Name[strings.LastIndexByte(spec.Name, '-')+1:])
		if len(asked) == 2 {
			close(both)
		}
		mu.Unlock()
		select {
		case <-both:
		case <-eventually.Context(t).Done():
			t.Error("the providers wait for each other")
		}
		return provider.Machine{}, errors.New("the token is bad")
	}
	for _, name := range []string{"hosts", "sprites"} {
		h.Providers[name] = elsewhere{Provider: another(t, hub), create: create}
	}
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites=2,hosts=2", AgentChoice: fleet.AgentChoice{Agent: "claude"}}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 4}, func(api.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "no ship could be provisioned") {
		t.Fatalf("sail: %v", err)
	}
	if len(asked) != 2 || asked[0] == asked[1] {
		t.Errorf("asked for %v", asked)
	}
	changes(v, func() {
		for i, s := range v.Roster.Now().Ships {
			if want := i%2 == 1; strings.HasPrefix(s.Error, "not tried: ") != want || s.Phase != fleet.Failed {
				t.Errorf("%s is %s: %s", s.Name, s.Phase, s.Error)
			}
		}
	})
}
