package access

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/provider"
)

// roomFor has room for those who may make a machine at the same time, for providers that mind.
func roomFor(all map[string]provider.Provider) map[string]chan struct{} {
	room := map[string]chan struct{}{}
	for name, p := range all {
		if n := p.Limits().Parallel; n > 0 {
			room[name] = make(chan struct{}, n)
		}
	}
	return room
}

// Provider returns the provider of that name. All voyages together ask it for no more machines at once than it allows; what follows when a
// machine is there keeps no other from being made.
func (a *Access) Provider(name string) provider.Provider {
	return inTurn{a.Providers[name], a.creates[name]}
}

type inTurn struct {
	provider.Provider
	room chan struct{} // nil for any number
}

// Create waits for its turn.
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
