package link

import (
	"context"
	"fmt"
	"net"

	"ocaptain/fleet/retry"
)

// Dial opens a connection from the ship to an address, "tcp" or "unix". It ends
// with the link's connection; its deadlines are not supported.
func (ln *Lane) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := ln.connected(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ln.timeout, retry.Late(ln.timeout))
	defer cancel()
	far, err := runUntil(ctx, func() (net.Conn, error) { return c.client.DialContext(ctx, network, addr) }, func(far net.Conn) { far.Close() })
	if err != nil {
		return nil, fmt.Errorf("%s: dial %s from there: %w", ln.name, addr, err)
	}
	return far, nil
}
