package hosts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// mostJumps bounds the hosts on the way to one.
const mostJumps = 8

// handshakes is how many logins to one host are under way at once: OpenSSH begins to refuse at
// the tenth.
const handshakes = 5

// client is a connection to a host, with those that it goes through.
type client struct {
	*ssh.Client
	target target
	via    *client // nil when it is direct
}

// Close ends the connection and those below it.
func (c *client) Close() error {
	err := c.Client.Close()
	if c.via != nil {
		_ = c.via.Close()
	}
	return err
}

// connect logs in to a host as ~/.ssh/config says.
func (p *Provider) connect(ctx context.Context, e Entry) (*client, error) {
	return p.reach(ctx, e, nil, 0)
}

// reach logs in to a host through the jumps given, or through its own when there are none.
func (p *Provider) reach(ctx context.Context, e Entry, jumps []Entry, depth int) (*client, error) {
	if depth > mostJumps {
		return nil, fmt.Errorf("host %s: ProxyJump in ~/.ssh/config leads through more than %d hosts, or in a circle", e, mostJumps)
	}
	t, err := p.resolve(ctx, e)
	if err != nil {
		return nil, err
	}
	if len(jumps) == 0 {
		jumps = t.jumps
	}
	var via *client
	if n := len(jumps); n > 0 {
		if via, err = p.reach(ctx, jumps[n-1], jumps[:n-1], depth+1); err != nil {
			return nil, fmt.Errorf("on the way to host %s: %w", e, err)
		}
	}
	c, err := p.login(ctx, t, via)
	if err != nil {
		if via != nil {
			via.Close()
		}
		return nil, err
	}
	return c, nil
}

// login connects with one host and shakes hands.
func (p *Provider) login(ctx context.Context, t target, via *client) (*client, error) {
	known, err := newHostKeys(t)
	if err != nil {
		return nil, err
	}
	leave, err := p.enter(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var raw net.Conn
	if via != nil {
		stop := context.AfterFunc(ctx, func() { via.Close() })
		raw, err = via.Dial("tcp", t.addr)
		stop()
	} else {
		raw, err = p.direct(ctx, t.addr)
	}
	if err != nil {
		return nil, down(ctx, t.entry, err)
	}
	keys := p.keys(ctx, t)
	defer keys.close()
	stop := context.AfterFunc(ctx, func() {
		raw.Close()
		keys.close() // the agent may be waiting for a touch of a key
		if via != nil {
			via.Close() // closing a tunnel alone may wait for its other end
		}
	})
	conn, channels, requests, err := ssh.NewClientConn(raw, t.addr, &ssh.ClientConfig{
		User:              t.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(keys.signers...)},
		HostKeyCallback:   known.callback,
		HostKeyAlgorithms: known.algorithms(),
	})
	if err == nil && !stop() {
		conn.Close()
		err = ctx.Err()
	}
	if err == nil {
		return &client{Client: ssh.NewClient(conn, channels, requests), target: t, via: via}, nil
	}
	raw.Close()
	if bad := known.refusal(err); bad != nil {
		return nil, bad
	}
	if ctx.Err() == nil && strings.Contains(err.Error(), "unable to authenticate") {
		return nil, fmt.Errorf("host %s does not let %s in: %s; try: %s", t.entry, t.user, keys.describe(), known.firstVisit())
	}
	return nil, down(ctx, t.entry, err)
}

// down is the error of a host that cannot be reached now.
func down(ctx context.Context, e Entry, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		err = context.DeadlineExceeded // its timer is a moment late
	}
	err = fmt.Errorf("host %s cannot be reached: %w", e, err)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &provider.Temporary{Err: err}
}

// enter waits for one of a host's places for those that log in.
func (p *Provider) enter(ctx context.Context, addr string) (leave func(), err error) {
	v, _ := p.doors.LoadOrStore(addr, make(chan struct{}, handshakes))
	door := v.(chan struct{})
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
