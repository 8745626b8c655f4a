package login

import (
	"context"
	"fmt"
	"net"
	"time"
)

// wayAge is how long it is remembered what the configuration says of the way to a place: to ask starts programs.
const wayAge = time.Minute

// way is what the configuration says of a place.
type way struct {
	target target
	asked  time.Time
}

// Through connects with the SSH server of a place and does not log in there, only on the hosts on the way
// that ~/.ssh/config names. Errors are as those of Connect.
func (c *Captain) Through(ctx context.Context, p Place) (net.Conn, error) {
	t, err := c.wayTo(ctx, p)
	if err != nil {
		return nil, err
	}
	n := len(t.jumps)
	if n == 0 {
		conn, err := c.dial(ctx, t.addr)
		if err != nil {
			return nil, Down(ctx, p, err)
		}
		return conn, nil
	}
	via, err := c.forJumps().reach(ctx, t.jumps[n-1], t.jumps[:n-1], 1)
	if err != nil {
		return nil, fmt.Errorf("on the way to host %s: %w", p, err)
	}
	stop := context.AfterFunc(ctx, func() { via.Close() })
	conn, err := via.Dial("tcp", t.addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		via.Close()
		return nil, Down(ctx, p, err)
	}
	return &tunnel{conn, via}, nil
}

// tunnel is a connection through a host on the way, which ends with it.
type tunnel struct {
	net.Conn
	via *Client
}

// Close ends what is below first: closing a tunnel alone may wait for its other end.
func (t *tunnel) Close() error {
	_ = t.via.Close()
	return t.Conn.Close()
}

// wayTo is resolve, asked once in a while.
func (c *Captain) wayTo(ctx context.Context, p Place) (target, error) {
	if known, ok := c.ways.Load(p); ok && time.Since(known.(way).asked) < wayAge {
		return known.(way).target, nil
	}
	t, err := c.resolve(ctx, p)
	if err != nil {
		c.ways.Delete(p)
		return t, err
	}
	c.ways.Store(p, way{t, time.Now()})
	return t, nil
}

// dial connects with the first machine on a way.
func (c *Captain) dial(ctx context.Context, addr string) (net.Conn, error) {
	if c.Dial != nil {
		return c.Dial(ctx, addr)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", addr)
}
