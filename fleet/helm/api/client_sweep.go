package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"ocaptain/fleet/machines"
)

// Orphans asks the providers named for machines that no voyage has; without names it asks all that are in use,
// and also those in also. It takes as long as the slowest of them, a minute at the most.
func (c *Client) Orphans(ctx context.Context, only, also []string) (Sweep, error) {
	query := url.Values{"provider": {strings.Join(only, ",")}, "also": {strings.Join(also, ",")}}
	var s Sweep
	return s, c.callMethod(ctx, http.MethodGet, "/v1/orphans?"+query.Encode(), nil, &s)
}

// KnownOrphans returns the machines without a voyage that helm has found by itself, and the unwanted
// machines that it is destroying. It waits until helm has looked.
func (c *Client) KnownOrphans(ctx context.Context) ([]machines.Orphan, error) {
	var all []machines.Orphan
	return all, c.callMethod(ctx, http.MethodGet, "/v1/orphans/known", nil, &all)
}

// Sweep destroys machines that no voyage has, once their work was brought home as far as it can be. What
// cannot be destroyed now and is this install's, helm goes on trying to destroy.
func (c *Client) Sweep(ctx context.Context, r SweepRequest, report func(Progress)) error {
	return c.follow(ctx, "/v1/orphans/sweep", r, report)
}
