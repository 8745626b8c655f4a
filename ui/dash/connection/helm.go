// Package connection keeps a connection to helm.
package connection

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
)

// State is the state of helm.
type State struct {
	Client *api.Client // nil while it is down
	Err    error       // why it is down; nil while nothing is known
	Since  time.Time
}

// Up tells whether helm runs.
func (s State) Up() bool { return s.Client != nil }

// Known reports whether the state is known.
func (s State) Known() bool { return s.Up() || s.Err != nil }

// Reasons why helm does not run, and is not started.
var (
	ErrIdle    = errors.New("not needed: no ship is out")
	ErrStopped = errors.New("it was stopped on purpose")
)

// Starter returns a client of a helm that runs, and starts one when there is none.
type Starter = func(context.Context) (*api.Client, error)

// Helm is the connection to helm.
type Helm struct {
	hub   fleet.Hub
	start Starter
	turn  turn.Turn // held while helm is started or ended
	light light
}

// New returns a connection; Follow keeps it.
func New(hub fleet.Hub, start Starter) *Helm {
	return &Helm{hub: hub, start: start, turn: turn.New(), light: light{on: make(chan struct{})}}
}

// InTurn returns a starter that waits while others start or end helm. Every live view that has lost its ship asks for
// helm. Without turns, the views would start several helms, and a helm could survive the order to stop, or be started
// while the captain stops it.
func (h *Helm) InTurn(start Starter) Starter {
	if start == nil {
		return nil
	}
	return func(ctx context.Context) (*api.Client, error) {
		if err := h.turn.Lock(ctx); err != nil {
			return nil, err
		}
		defer h.turn.Unlock()
		return start(ctx)
	}
}

// Running waits for a running helm and returns a client. Live views call it, again and again; it starts no helm.
func (h *Helm) Running(ctx context.Context) (*api.Client, error) {
	if !h.light.wait(ctx) {
		return nil, api.ErrDown
	}
	return api.NewClient(h.hub), nil
}

// Restart ends helm and starts it again. Ships sail on.
func (h *Helm) Restart(ctx context.Context) error {
	if err := h.turn.Lock(ctx); err != nil {
		return err
	}
	defer h.turn.Unlock()
	if err := supervise.Stop(ctx, h.hub); err != nil {
		return err
	}
	_, err := h.start(ctx)
	return err
}

// Follow keeps a connection to helm, whose end shows that helm has ended, and calls tell with each new state. It
// needs no polling.
func (h *Helm) Follow(ctx context.Context, tell func(State)) {
	const steady = 10 * time.Second
	pauses, doubt, known := retry.Doubling(200*time.Millisecond, 10*time.Second), false, false
	for ctx.Err() == nil {
		client, err := h.reach(ctx, doubt, known)
		if err == nil {
			known = true
			h.light.set(true)
			began := time.Now()
			tell(State{Client: client, Since: began})
			err = client.Wait(ctx)
			h.light.set(false)
			if supervise.Stopped(h.hub) {
				err = ErrStopped
			}
			// A helm that ends at once each time is asked less often; it may also be of another build.
			if doubt = time.Since(began) < steady; !doubt {
				pauses.Reset()
			}
		}
		if ctx.Err() != nil {
			return
		}
		tell(State{Err: err, Since: time.Now()})
		_ = retry.Sleep(ctx, pauses.NextBackOff())
	}
}

// reach returns a client of helm. It starts helm when a voyage has ships, unless helm was running and then was
// stopped on purpose. In doubt, it makes sure that helm is not of an older build, which may not know all requests.
func (h *Helm) reach(ctx context.Context, doubt, known bool) (*api.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	start := h.InTurn(h.start)
	client := api.NewClient(h.hub)
	if _, err := client.Hello(ctx); err == nil {
		if doubt {
			return start(ctx)
		}
		return client, nil
	}
	if known && supervise.Stopped(h.hub) {
		return nil, ErrStopped
	}
	dirs, err := fleet.Voyages(h.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
			return start(ctx)
		}
	}
	return nil, ErrIdle
}
