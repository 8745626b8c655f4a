package tailnettest

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"tailscale.com/client/tailscale/v2"
	"tailscale.com/tailcfg"
	"tailscale.com/types/ipproto"

	"ocaptain/tasks/eventually"
)

// Enforce makes the nodes obey the grants of a policy from now on, as Tailscale's own control server does: each gets rules for
// incoming connections, and its tailscaled accepts no others. Once the control server for tests has sent rules to a node, it sends
// the node nothing more, not even about other nodes. So before that, Enforce connects each pair of nodes.
func (n *Tailnet) Enforce(grants []tailscale.Grant, nodes ...*Node) {
	n.t.Helper()
	for i, a := range nodes {
		for _, b := range nodes[i+1:] {
			eventually.Succeeds(n.t, a.IP.String()+" has met "+b.IP.String(), func() error {
				_, err := a.run(n.t.Context(), "ping", "--tsmp", "--c=1", b.IP.String())
				return err
			})
		}
	}
	all := n.control.AllNodes()
	for _, to := range all {
		rules := []tailcfg.FilterRule{}
		for _, g := range grants {
			if names(g.Destination, to) {
				rules = append(rules, n.rule(g, all, to))
			}
		}
		if !n.control.AddRawMapResponse(to.Key, &tailcfg.MapResponse{PacketFilters: map[string][]tailcfg.FilterRule{"base": rules}}) {
			n.t.Fatalf("%s does not listen to the control server", to.Hostinfo.Hostname())
		}
	}
}

// rule returns the rule that a grant gives to a node as its destination.
func (n *Tailnet) rule(g tailscale.Grant, all []*tailcfg.Node, to *tailcfg.Node) (r tailcfg.FilterRule) {
	n.t.Helper()
	r.IPProto = []int{int(ipproto.TCP)}
	for _, from := range all {
		if names(g.Source, from) {
			for _, p := range from.Addresses {
				r.SrcIPs = append(r.SrcIPs, p.String())
			}
		}
	}
	for _, ip := range g.IP {
		port, err := strconv.ParseUint(strings.TrimPrefix(ip, "tcp:"), 10, 16)
		if err != nil || !strings.HasPrefix(ip, "tcp:") {
			n.t.Fatalf("of what a grant may say, %q is not known here", ip)
		}
		for _, p := range to.Addresses {
			r.DstPorts = append(r.DstPorts, tailcfg.NetPortRange{IP: p.Addr().String(), Ports: tailcfg.PortRange{First: uint16(port), Last: uint16(port)}})
		}
	}
	return r
}

// names reports whether the selectors of a policy match a node. A node with a tag has no owner, so that no member
// matches it.
func names(selectors []string, node *tailcfg.Node) bool {
	return slices.ContainsFunc(selectors, func(s string) bool {
		return s == "*" || slices.Contains(node.Tags, s) || s == "autogroup:member" && len(node.Tags) == 0
	})
}

// Refuses dials a port of the node from another node until the node's tailscaled has dropped a packet because no rule
// allows it.
func (n *Node) Refuses(from *Node, port int) {
	n.t.Helper()
	eventually.Holds(n.t, fmt.Sprintf("%s refuses %s at port %d", n.IP, from.IP, port), func() bool {
		before := n.refused()
		ctx, cancel := context.WithCancel(n.t.Context())
		defer cancel()
		got := make(chan net.Conn, 1)
		go func() {
			conn, _ := from.Daemon.Dial(ctx, n.IP.String(), port)
			got <- conn
		}()
		for n.refused() <= before {
			select {
			case conn := <-got: // the connection was accepted, or the packet was lost
				if conn != nil {
					conn.Close()
				}
				return false
			default:
			}
		}
		return true
	})
}

// refused returns how many packets the node's tailscaled has dropped because no rule allows them.
func (n *Node) refused() (packets int) {
	const metric = `tailscaled_inbound_dropped_packets_total{reason="acl"} `
	for line := range strings.Lines(n.Tailscale("metrics", "print")) {
		if rest, ok := strings.CutPrefix(line, metric); ok {
			packets, _ = strconv.Atoi(strings.TrimSpace(rest))
		}
	}
	return packets
}
