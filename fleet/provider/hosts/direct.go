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

// plainFirst is the head start of the plain way to an address in the tailnet before the one through Tailscale. Where this
// machine's network has the tailnet in it, that is mostly enough; where it has not, packets may vanish without a word, and
// every connection waits for so long.
const plainFirst = 300 * time.Millisecond

// direct dials a host that is behind no other. One that is in the tailnet, by address or name, is also reached where this
// machine's own network does not lead there, but its Tailscale does: the way that leads there first counts.
func (p *Provider) direct(ctx context.Context, addr string) (net.Conn, error) {
	host, number, err := net.SplitHostPort(addr)
	port, errPort := strconv.Atoi(number)
	if err != nil || errPort != nil || p.options.Tailnet == nil || !inTailnet(host) {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found, failed := make(chan net.Conn), make(chan error, 2)
	try := func(dial func() (net.Conn, error)) {
		conn, err := dial()
		if err != nil {
			failed <- err
			return
		}
		select {
		case found <- conn:
		case <-ctx.Done(): // the other was faster
			conn.Close()
		}
	}
	go try(func() (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", addr) })
	head := time.NewTimer(plainFirst)
	defer head.Stop()
	var errs []error
	for begun := false; len(errs) < 2; {
		select {
		case conn := <-found:
			return conn, nil
		case err := <-failed:
			errs = append(errs, err)
		case <-head.C:
		}
		if ctx.Err() != nil {
			break
		}
		if !begun {
			begun = true
			go try(func() (net.Conn, error) { return p.options.Tailnet(ctx, host, port) })
		}
	}
	return nil, errors.Join(append(errs, ctx.Err())...)
}

// inTailnet tells whether a host's address or name can be one of a tailnet.
func inTailnet(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return tailnet.IsAddress(ip)
	}
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(host), "."), ".ts.net")
}
