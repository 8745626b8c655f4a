// Package connection keeps one to helm.
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

// State is what is known of helm.
type State struct {
	Client *api.Client // nil while it is down
	Err    error       // why it is down; nil while nothing is known
	Since  time.Time
}

// Up tells whether helm runs.
func (s State) Up() bool { return s.Client != nil }

// Known tells whether anything is known.
func (s State) Known() bool { return s.Up() || s.Err != nil }

// Why helm does not run, and is not started.
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
	turn  turn.Turn // held by who starts or ends helm
	light light
}

// New returns a connection that nothing follows yet.
func New(hub fleet.Hub, start Starter) *Helm {
	return &Helm{hub: hub, start: start, turn: turn.New(), light: light{on: make(chan struct{})}}
}

// InTurn returns a way to start helm that waits for others who start or end it. Every live view that has lost
// its ship asks for helm: without turns several would be started, of which one outlives the order to stop, and
// one would be started while another is being ended on purpose.
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

// Running returns a client of a helm that runs; it waits for one. Live views ask for it,
// each again and again; they start none.
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

// Follow keeps a connection to helm whose end tells that helm has ended. No poll is
// needed to know that it is there.
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
			// One that ends at once each time is not asked ever so often; and it may be of another build.
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

// reach returns a client of helm. It starts helm when a voyage has ships, unless helm was
// known to run and then was stopped on purpose. In doubt, it makes sure that helm is not of an
// older build, which may not know all that is asked of it.
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
