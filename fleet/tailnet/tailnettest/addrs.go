package tailnettest

import (
	"net"
	"net/url"
	"strconv"
)

// Addrs are where nodes reach the tailnet on loopback with TCP: its control server and its relay. That is enough
// for them to find each other.
func (n *Tailnet) Addrs() []string {
	relay := n.control.DERPMap.Regions[1].Nodes[0]
	return []string{host(n.URL), net.JoinHostPort(relay.IPv4, strconv.Itoa(relay.DERPPort))}
}

// Six is the node's address of IPv6. No other network leads to one of those.
func (n *Node) Six() string {
	n.t.Helper()
	s, err := n.Daemon.Status(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	for _, ip := range s.Self.IPs {
		if ip.Is6() {
			return ip.String()
		}
	}
	n.t.Fatal("it has no address of IPv6")
	return ""
}

// Addr is where the shelf is reached.
func (s *Shelf) Addr() string { return host(s.URL) }

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
