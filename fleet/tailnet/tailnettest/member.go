package tailnettest

import (
	"net/netip"
	"sync"

	"tailscale.com/tailcfg"
	"tailscale.com/types/key"

	"ocaptain/fleet/tailnet/apitest"
)

// laptop is the name of the captain's own node.
const laptop = "laptop"

// Member is a node as the control server knows it.
type Member struct {
	ID   string
	Host string
	IP   netip.Addr
}

// members tells a stand-in for the API about nodes that have joined.
type members struct {
	mu    sync.Mutex
	told  func(Member)
	known map[key.NodePublic]bool
}

// TellTo makes a stand-in for Tailscale's API list each node that joins from now on, except the node named laptop.
func (n *Tailnet) TellTo(api *apitest.Fake) {
	n.members.mu.Lock()
	defer n.members.mu.Unlock()
	n.members.told = func(m Member) {
		if m.Host != laptop {
			api.Add(apitest.Device{Node: m.ID, Host: m.Host, IPs: []string{m.IP.String()}, Tags: []string{Tag}, Ephemeral: true})
		}
	}
}

// see inspects a node's request for the network's map.
func (n *Tailnet) see(r *tailcfg.MapRequest) func() {
	node := n.control.Node(r.NodeKey)
	m := &n.members
	m.mu.Lock()
	defer m.mu.Unlock()
	if node == nil || m.told == nil || m.known[r.NodeKey] || !node.Hostinfo.Valid() || len(node.Addresses) == 0 {
		return nil
	}
	m.known[r.NodeKey] = true
	m.told(Member{string(node.StableID), node.Hostinfo.Hostname(), node.Addresses[0].Addr()})
	return nil
}
