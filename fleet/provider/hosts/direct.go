package hosts

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/tailnet"
)

// plainFirst is how long the plain way to an address in the tailnet is tried before the one through Tailscale. Where
// this machine's network has the tailnet in it, that is enough.
const plainFirst = 2 * time.Second

// direct dials a host that is behind no other. One that is in the tailnet, by address or name, is also reached where this
// machine's own network does not lead there, but its Tailscale does.
func (p *Provider) direct(ctx context.Context, addr string) (net.Conn, error) {
	host, number, err := net.SplitHostPort(addr)
	if err != nil || p.options.Tailnet == nil || !inTailnet(host) {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	conn, plain := (&net.Dialer{Timeout: plainFirst}).DialContext(ctx, "tcp", addr)
	if plain == nil || ctx.Err() != nil {
		return conn, plain
	}
	port, err := strconv.Atoi(number)
	if err != nil {
		return nil, plain
	}
	conn, err = p.options.Tailnet(ctx, host, port)
	if err != nil {
		return nil, errors.Join(plain, err)
	}
	return conn, nil
}

// inTailnet tells whether a host's address or name can be one of a tailnet.
func inTailnet(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return tailnet.IsAddress(ip)
	}
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(host), "."), ".ts.net")
}
