// Package tailnet adds ships to the captain's tailnet and removes them.
//
// API calls Tailscale itself: it makes the key with which one machine joins once, lists the devices that have the
// ships' tag, and removes the devices that ocaptain has recorded. The secret of the OAuth client, which can do all
// this, stays on the captain's machine.
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

// Limits of a call.
const (
	callTime  = 20 * time.Second // for one attempt
	wholeTime = 2 * time.Minute  // for all attempts
	attempts  = 4                // of a call that may be repeated
)

var patience = webapi.Patience{Least: 200 * time.Millisecond, Most: 5 * time.Second}

// API is a client of Tailscale's API, with one OAuth client. Its methods are safe for concurrent use; each ends when
// ctx does, and after two minutes at the latest. No error or URL contains a secret. An error that may pass is a
// *provider.Temporary; the others say what to do: see ErrSecret, ScopeError and TagError.
type API struct {
	own    Credentials
	door   *door
	client *tailscale.Client
}

// Open returns an API with these credentials. It sends no request.
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

// DeviceTag returns the tag of ships' devices.
func (a *API) DeviceTag() string { return a.own.deviceTag() }

// Client returns the id of the OAuth client, which is not secret.
func (a *API) Client() string { return a.door.id }

// Close closes idle connections.
func (a *API) Close() { a.door.base.CloseIdleConnections() }

// callAgain makes a call, and repeats it if that can help: always when the service asks for patience, and a few times
// when the service or the network fails. With once set, it does not repeat a call whose outcome is unknown.
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
