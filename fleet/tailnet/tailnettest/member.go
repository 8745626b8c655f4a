package tailnettest

import (
	"net/netip"
	"sync"

	"tailscale.com/tailcfg"
	"tailscale.com/types/key"
)

// Member is a node as the control server knows it.
type Member struct {
	ID   string
	Host string
	IP   netip.Addr
}

// members tells of nodes that have joined.
type members struct {
	mu    sync.Mutex
	told  func(Member)
	known map[key.NodePublic]bool
}

// OnJoin has each node told once that joins from now on.
func (n *Tailnet) OnJoin(told func(Member)) {
	n.members.mu.Lock()
	defer n.members.mu.Unlock()
	n.members.told = told
}

// see looks at who asks the control server for the network's map.
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
