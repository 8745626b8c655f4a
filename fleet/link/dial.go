package link

import (
	"context"
	"fmt"
	"net"
)

// Dial opens a connection from the ship to an address, "tcp" or "unix". It ends
// with the link's connection; its deadlines are not supported.
func (ln *Lane) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, ln.timeout)
	defer cancel()
	c, err := ln.get(ctx)
	if err != nil {
		return nil, err
	}
	far, err := runUntil(ctx, func() (net.Conn, error) { return c.client.DialContext(ctx, network, addr) }, func(far net.Conn) { far.Close() })
	if err != nil {
		return nil, fmt.Errorf("%s: dial %s from there: %w", ln.name, addr, err)
	}
	return far, nil
}
