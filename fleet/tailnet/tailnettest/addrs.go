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

// Addr is where the shelf is reached.
func (s *Shelf) Addr() string { return host(s.URL) }

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
