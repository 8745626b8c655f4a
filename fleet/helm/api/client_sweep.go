package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"ocaptain/fleet/machines"
)

// Orphans asks providers for machines that belong to no voyage: the providers in only or, if that is empty, all that
// are in use and those in also. It takes as long as the slowest provider, at most a minute.
func (c *Client) Orphans(ctx context.Context, only, also []string) (Sweep, error) {
	query := url.Values{"provider": {strings.Join(only, ",")}, "also": {strings.Join(also, ",")}}
	var s Sweep
	return s, c.callMethod(ctx, http.MethodGet, "/v1/orphans?"+query.Encode(), nil, &s)
}

// KnownOrphans returns the machines without a voyage that helm has found by itself, and the unwanted machines that it
// is destroying. It waits until helm has looked for the first time.
func (c *Client) KnownOrphans(ctx context.Context) ([]machines.Orphan, error) {
	var all []machines.Orphan
	return all, c.callMethod(ctx, http.MethodGet, "/v1/orphans/known", nil, &all)
}

// Sweep destroys machines that belong to no voyage, after it has copied their work home as far as possible. If a
// machine of this install cannot be destroyed now, helm goes on trying.
func (c *Client) Sweep(ctx context.Context, r SweepRequest, report func(Progress)) error {
	return c.follow(ctx, "/v1/orphans/sweep", r, report)
}
