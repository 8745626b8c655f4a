// Package login logs in to machines by SSH as the captain would: as ~/.ssh/config and the system's
// configuration say, with the keys of the ssh-agent and of files, and to machines alone that
// known_hosts knows. It writes nothing there.
package login

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// Captain is who logs in. Fields are not changed once it is used.
type Captain struct {
	// Home has .ssh in it.
	Home string

	// Agents returns the sockets where the captain's ssh-agent may be, the best guess first; "" is
	// no guess. nil is for none. ~/.ssh/config may name another one.
	Agents func() []string

	// Key is the file of the only key to use, "" for those that ssh would.
	Key string

	// Trust judges the key of a host of which known_hosts has none. nil trusts no such key.
	Trust func(ssh.PublicKey) bool

	// Dial connects with the first machine on the way. Default: TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)

	// Patience is how long a login may take where ~/.ssh/config does not say. Default: 15 s.
	Patience time.Duration

	doors sync.Map // address → channel: who logs in there
	ways  sync.Map // Place → way: of those that are connected with and not logged in to
	first sync.Once
	jumps *Captain // for hosts on the way
}

// mostJumps bounds the hosts on the way to one.
const mostJumps = 8

// handshakes is how many logins to one host are under way at once: OpenSSH begins to refuse at
// the tenth.
const handshakes = 5

// Client is a connection to a host, with those that it goes through.
type Client struct {
	*ssh.Client
	User, Addr string   // what ~/.ssh/config made of the place; Addr is host:port
	Ignored    []string // settings there that are not honoured
	via        *Client  // nil when it is direct
}

// Close ends the connection and those below it.
func (c *Client) Close() error {
	err := c.Client.Close()
	if c.via != nil {
		_ = c.via.Close()
	}
	return err
}

// Connect logs in to a place. A host that cannot be reached now is a *provider.Temporary error, one
// that lets the captain in with no key a *Denied, one with a wrong host key a *HostKeyError.
func (c *Captain) Connect(ctx context.Context, p Place) (*Client, error) {
	return c.reach(ctx, p, nil, 0)
}

// reach logs in to a host through the jumps given, or through its own when there are none.
func (c *Captain) reach(ctx context.Context, p Place, jumps []Place, depth int) (*Client, error) {
	if depth > mostJumps {
		return nil, fmt.Errorf("host %s: ProxyJump in ~/.ssh/config leads through more than %d hosts, or in a circle", p, mostJumps)
	}
	t, err := c.resolve(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(jumps) == 0 {
		jumps = t.jumps
	}
	var via *Client
	if n := len(jumps); n > 0 {
		before := c.forJumps()
		if via, err = before.reach(ctx, jumps[n-1], jumps[:n-1], depth+1); err != nil {
			return nil, fmt.Errorf("on the way to host %s: %w", p, err)
		}
	}
	made, err := c.login(ctx, t, via)
	if err != nil {
		if via != nil {
			via.Close()
		}
		return nil, err
	}
	return made, nil
}

// forJumps is the captain for hosts on the way: what is particular about the place does not hold
// for them. It is the same one for all places, so that not too many log in there at once.
func (c *Captain) forJumps() *Captain {
	if c.Key == "" && c.Trust == nil {
		return c
	}
	c.first.Do(func() {
		c.jumps = &Captain{Home: c.Home, Agents: c.Agents, Dial: c.Dial, Patience: c.Patience}
	})
	return c.jumps
}

// login connects with one host and shakes hands.
func (c *Captain) login(ctx context.Context, t target, via *Client) (*Client, error) {
	known, err := newHostKeys(t, c.Trust)
	if err != nil {
		return nil, err
	}
	leave, err := c.enter(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var raw net.Conn
	switch {
	case via != nil:
		stop := context.AfterFunc(ctx, func() { via.Close() })
		raw, err = via.Dial("tcp", t.addr)
		stop()
	default:
		raw, err = c.dial(ctx, t.addr)
	}
	if err != nil {
		return nil, Down(ctx, t.place, err)
	}
	keys := c.keys(ctx, t)
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
		return &Client{ssh.NewClient(conn, channels, requests), t.user, t.addr, t.notes, via}, nil
	}
	raw.Close()
	if bad := known.refusal(err); bad != nil {
		return nil, bad
	}
	if ctx.Err() == nil && strings.Contains(err.Error(), "unable to authenticate") {
		return nil, keys.denied(t, known.firstVisit())
	}
	return nil, Down(ctx, t.place, err)
}

// Down is the error of a host that cannot be reached now.
func Down(ctx context.Context, p Place, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		err = context.DeadlineExceeded // its timer is a moment late
	}
	err = fmt.Errorf("host %s cannot be reached: %w", p, err)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &provider.Temporary{Err: err}
}

// enter waits for one of a host's places for those that log in.
func (c *Captain) enter(ctx context.Context, addr string) (leave func(), err error) {
	v, _ := c.doors.LoadOrStore(addr, make(chan struct{}, handshakes))
	door := v.(chan struct{})
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
