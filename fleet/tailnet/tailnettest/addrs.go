package tailnettest

import (
	"net"
	"net/url"
	"strconv"
)

// Addrs returns the TCP addresses on loopback that nodes need to reach the tailnet: its control server and its relay.
// With these they find each other.
func (n *Tailnet) Addrs() []string {
	relay := n.control.DERPMap.Regions[1].Nodes[0]
	return []string{host(n.URL), net.JoinHostPort(relay.IPv4, strconv.Itoa(relay.DERPPort))}
}

// Six returns the node's IPv6 address, which no other network can reach.
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

// Addr returns the address of the shelf's server.
func (s *Shelf) Addr() string { return host(s.URL) }

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
