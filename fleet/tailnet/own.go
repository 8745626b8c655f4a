package tailnet

import (
	"context"
	"net"
	"sync"
)

// Own is a node of the tailnet within this process, for a machine without Tailscale. Only
// programs that are built with the tag tsnet, as releases are, have it: see Embedded. It begins when it is first
// needed, and is gone from the tailnet when it is closed.
type Own struct {
	Dir         string // for what it keeps while it runs
	Hostname    string
	Tag         string // that the key gives it
	LoginServer string // "" for Tailscale's

	// Key returns a key to join with.
	Key func(context.Context) (string, error)

	mu   sync.Mutex
	node node
}

// node is what Own needs of a running node.
type node interface {
	Dial(ctx context.Context, network, addr string) (net.Conn, error)
	Close() error
}

// Dial connects to a port of another node. The first dial joins the tailnet.
func (o *Own) Dial(ctx context.Context, host string, port int) (net.Conn, error) {
	n, err := o.begin(ctx)
	if err != nil {
		return nil, err
	}
	return n.Dial(ctx, "tcp", joinHostPort(host, port))
}

func (o *Own) begin(ctx context.Context) (node, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.node != nil {
		return o.node, nil
	}
	key, err := o.Key(ctx)
	if err != nil {
		return nil, err
	}
	n, err := embed(ctx, o, key)
	if err == nil {
		o.node = n
	}
	return n, err
}

// Close takes the node out of the tailnet, if it ever joined.
func (o *Own) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.node == nil {
		return nil
	}
	n := o.node
	o.node = nil
	return n.Close()
}
