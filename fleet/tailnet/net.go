package tailnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// Net is this machine's way into the captain's tailnet: the tailscaled that runs here, or the
// network of the machine where that has a tailnet address.
type Net struct {
	// Socket of tailscaled; DefaultSocket unless a captain or a test says otherwise.
	Socket string
}

// ErrNone says that this machine has no way into a tailnet.
var ErrNone = errors.New("this machine is in no tailnet: start Tailscale here and log in with: tailscale up")

// dialTime bounds a dial: the first one to a node may take five seconds.
const dialTime = 10 * time.Second

// way is how a tailnet is reached.
type way func(ctx context.Context, host string, port int) (net.Conn, error)

// bestWay returns the best way that is open now, and its name.
func (n *Net) bestWay(ctx context.Context) (way, string, error) {
	d := Daemon{n.Socket}
	s, err := d.Status(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err == nil && s.State == Running && s.TUN:
		return func(ctx context.Context, host string, port int) (net.Conn, error) {
			if _, err := netip.ParseAddr(host); err != nil { // tailscaled knows names, this machine may not
				return d.Dial(ctx, host, port)
			}
			return dialPlain(ctx, host, port)
		}, "tailscaled", nil
	case err == nil && s.State == Running:
		return d.Dial, "tailscaled", nil
	case hasAddress(): // Tailscale's app for macOS keeps its socket to itself
		return dialPlain, "this machine's network", nil
	case err == nil:
		return nil, "", fmt.Errorf("tailscaled is not logged in (%.40q): tailscale up", s.State)
	case !errors.Is(err, ErrDown):
		return nil, "", err
	}
	return nil, "", ErrNone
}

// DescribeWay tells by what this machine reaches the tailnet now, or why it does not.
func (n *Net) DescribeWay(ctx context.Context) (string, error) {
	_, name, err := n.bestWay(ctx)
	return name, err
}

// Dial connects to a port of a node, by its address or its name.
func (n *Net) Dial(ctx context.Context, host string, port int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	dial, _, err := n.bestWay(ctx)
	if err != nil {
		return nil, err
	}
	return dial(ctx, host, port)
}

func dialPlain(ctx context.Context, host string, port int) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", joinHostPort(host, port))
}

func joinHostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// Ranges that Tailscale gives addresses from.
var (
	four = netip.MustParsePrefix("100.64.0.0/10")
	six  = netip.MustParsePrefix("fd7a:115c:a1e0::/48")
)

// IsAddress tells whether an address can be one of a tailnet.
func IsAddress(ip netip.Addr) bool {
	ip = ip.Unmap()
	return four.Contains(ip) || six.Contains(ip)
}

// hasAddress tells whether this machine's network has a tailnet in it. Providers use the range of IPv4,
// too, so only Tailscale's own one of IPv6 counts.
func hasAddress() bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && six.Contains(p.Addr().Unmap()) {
			return true
		}
	}
	return false
}
