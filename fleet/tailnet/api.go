// Package tailnet brings ships onto the captain's tailnet and takes them off it again.
//
// API speaks with Tailscale itself: it mints the key with which one machine joins once, lists the
// devices that carry the ships' tag, and removes the devices that ocaptain recorded. The OAuth
// client's secret, which can do all this, stays on the captain's machine.
package tailnet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// The patience with the service.
const (
	callTime  = 20 * time.Second // for one attempt
	wholeTime = 2 * time.Minute  // for all of them
	attempts  = 4                // of a call that may be repeated
)

var patience = webapi.Patience{Least: 200 * time.Millisecond, Most: 5 * time.Second}

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
	base, err := own.baseURL()
	if err != nil {
		return nil, err
	}
	d := newDoor(own, base)
	return &API{own: own, door: d, client: &tailscale.Client{BaseURL: base, UserAgent: "ocaptain", Auth: d, HTTP: &http.Client{}}}, nil
}

// DeviceTag is what the devices of ships carry.
func (a *API) DeviceTag() string { return a.own.deviceTag() }

// Client is the id of the OAuth client; no secret.
func (a *API) Client() string { return a.door.id }

// Close lets go of idle connections.
func (a *API) Close() { a.door.base.CloseIdleConnections() }

// callAgain makes one call, and repeats it where that can help: always when the service asks for
// patience, and a few times when the service or the way there is broken, unless once says that a
// call with an unknown outcome must not be repeated.
func (a *API) callAgain(ctx context.Context, what, scope string, once bool, fn func(context.Context) error) error {
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
		err = a.door.withoutSecret(fmt.Errorf("%s: %w", what, a.explainError(scope, err)))
		var later *provider.Temporary
		if !errors.As(err, &later) || !isBusy(err) && (once || n >= attempts) {
			return err
		}
		if e := patience.Pause(ctx, n, later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}
