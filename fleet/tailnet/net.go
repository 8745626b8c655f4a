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

// Net is this machine's access to the captain's tailnet: through the running tailscaled, or through the machine's
// network if that has a tailnet address.
type Net struct {
	// Socket is the path of tailscaled's socket; DefaultSocket unless the captain or a test has set another.
	Socket string
}

// ErrNone means that this machine has no access to a tailnet.
var ErrNone = errors.New("this machine is in no tailnet: start Tailscale here and log in with: tailscale up")

// dialTime bounds a dial; the first one to a node may take five seconds.
const dialTime = 10 * time.Second

// way dials a node in one of the ways.
type way func(ctx context.Context, host string, port int) (net.Conn, error)

// bestWay returns the best way that works now, and its name.
func (n *Net) bestWay(ctx context.Context) (way, string, error) {
	d := Daemon{n.Socket}
	s, err := d.Status(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err == nil && s.State == Running && s.TUN:
		return func(ctx context.Context, host string, port int) (net.Conn, error) {
			if _, err := netip.ParseAddr(host); err != nil { // tailscaled can resolve names, while this machine may not
				return d.Dial(ctx, host, port)
			}
			return dialPlain(ctx, host, port)
		}, "tailscaled", nil
	case err == nil && s.State == Running:
		return d.Dial, "tailscaled", nil
	case hasAddress(): // Tailscale's app for macOS does not share its socket
		return dialPlain, "this machine's network", nil
	case err == nil:
		return nil, "", fmt.Errorf("tailscaled is not logged in (%.40q): tailscale up", s.State)
	case !errors.Is(err, ErrDown):
		return nil, "", err
	}
	return nil, "", ErrNone
}

// DescribeWay says how this machine reaches the tailnet now. The error says why it does not.
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

// The ranges of Tailscale's addresses.
var (
	four = netip.MustParsePrefix("100.64.0.0/10")
	six  = netip.MustParsePrefix("fd7a:115c:a1e0::/48")
)

// IsAddress reports whether an address is in one of these ranges.
func IsAddress(ip netip.Addr) bool {
	ip = ip.Unmap()
	return four.Contains(ip) || six.Contains(ip)
}

// hasAddress reports whether this machine's network has a tailnet address. Providers use the IPv4 range too, so only
// Tailscale's own IPv6 range counts.
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
