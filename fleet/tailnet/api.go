// Package tailnet brings ships onto the captain's tailnet and takes them off it again.
//
// API speaks with Tailscale itself: it mints the key with which one machine joins once, lists
// the devices that carry the ships' tag, and removes those that ocaptain recorded. Book is that
// record. The OAuth client's secret, which can do all this, stays on the captain's machine.
package tailnet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"

	"ocaptain/fleet/provider"
)

// The patience with the service.
const (
	callTime  = 20 * time.Second // for one attempt
	wholeTime = 2 * time.Minute  // for all of them
	attempts  = 4                // of a call that may be repeated
	pauseMin  = 200 * time.Millisecond
	pauseMax  = 5 * time.Second
)

// API is Tailscale's, for one OAuth client. Its methods may be used at the same time; each ends
// with ctx, and after two minutes at the latest. No error or address holds a secret. Errors that
// trying again may cure are *provider.Temporary; the others say what to do: see ErrSecret,
// ScopeError and TagError.
type API struct {
	own    Credentials
	door   *door
	client *tailscale.Client
}

// Open prepares for calls with these credentials, and makes none yet.
func Open(own Credentials) (*API, error) {
	if err := own.Check(); err != nil {
		return nil, err
	}
	base, err := own.base()
	if err != nil {
		return nil, err
	}
	d := newDoor(own, base)
	return &API{own: own, door: d, client: &tailscale.Client{BaseURL: base, UserAgent: "ocaptain", Auth: d, HTTP: &http.Client{}}}, nil
}

// Tag is what the devices of ships carry.
func (a *API) Tag() string { return a.own.tag() }

// Client is the id of the OAuth client; no secret.
func (a *API) Client() string { return a.door.id }

// Close lets go of idle connections.
func (a *API) Close() { a.door.base.CloseIdleConnections() }

// call is one call, again where that can help: always when the service asks for patience, and a
// few times when it or the way there is broken, unless nobody would know what the first attempt did.
func (a *API) call(ctx context.Context, what, scope string, once bool, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	for n := 1; ; n++ {
		own, cancel := context.WithTimeout(context.WithValue(ctx, scopeKey{}, scope), callTime)
		err := fn(own)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: tailscale: %w", what, ctx.Err())
		}
		err = a.door.scrub(fmt.Errorf("%s: %w", what, a.told(scope, err)))
		var later *provider.Temporary
		if !errors.As(err, &later) || !isBusy(err) && (once || n >= attempts) {
			return err
		}
		if e := pause(ctx, n, later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}

// pause waits before the next attempt: as long as the service asked for, or longer each time.
// It does not begin a wait that ctx will not see the end of.
func pause(ctx context.Context, n int, asked time.Duration) error {
	wait := min(pauseMin<<min(n-1, 10), pauseMax)
	wait = asked + wait/2 + rand.N(wait/2)
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return fmt.Errorf("there is no time to try again in %s: %w", wait.Round(time.Second), context.DeadlineExceeded)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
