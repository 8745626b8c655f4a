package access

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/provider"
)

// roomFor returns, for each provider with a limit, a channel with a slot for each machine that may be made at the
// same time.
func roomFor(all map[string]provider.Provider) map[string]chan struct{} {
	room := map[string]chan struct{}{}
	for name, p := range all {
		if n := p.Limits().Parallel; n > 0 {
			room[name] = make(chan struct{}, n)
		}
	}
	return room
}

// Provider returns the provider of that name. It limits how many machines all voyages together make at the same time; steps after a
// machine is made do not count.
func (a *Access) Provider(name string) provider.Provider {
	return inTurn{a.Providers[name], a.creates[name]}
}

type inTurn struct {
	provider.Provider
	room chan struct{} // nil for no limit
}

// Create makes a machine once it has got a slot.
func (p inTurn) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if p.room != nil {
		if len(p.room) == cap(p.room) {
			spec.Wait(errors.New("other machines are made first"))
		}
		select {
		case p.room <- struct{}{}:
			defer func() { <-p.room }()
		case <-ctx.Done():
			return provider.Machine{}, fmt.Errorf("waiting for other machines to be made: %w", ctx.Err())
		}
	}
	return p.Provider.Create(ctx, spec)
}
