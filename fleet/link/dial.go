package link

import (
	"context"
	"fmt"
	"net"

	"ocaptain/fleet/retry"
)

// Dial opens a connection from the ship to an address; network is "tcp" or "unix". The connection ends with the
// link's connection. It does not support deadlines.
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
