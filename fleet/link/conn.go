package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/retry"
	"ocaptain/fleet/silence"
)

// channels is how many sessions may be open at once on one connection. OpenSSH allows 10; one is kept free for a
// command that kills another.
const channels = 9

// conn is one authenticated SSH connection.
type conn struct {
	client *ssh.Client
	raw    *meteredConn
	slots  chan struct{} // holds one token for each open session
	asked  atomic.Int64  // how many times a caller got the connection

	killing chan struct{} // a mutex for the spare session
	once    sync.Once
	dead    chan struct{}
	err     error // why the connection ended; set before dead is closed
}

// connect dials, makes the SSH handshake and starts to watch the connection.
func (l *Link) connect(ctx context.Context) (*conn, error) {
	plain, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.cfg.ConnectTimeout, retry.Late(l.cfg.ConnectTimeout))
	defer cancel()
	raw := &meteredConn{Conn: plain, pace: &l.pace}
	stop := context.AfterFunc(ctx, func() { plain.Close() })
	sc, chans, reqs, err := ssh.NewClientConn(raw, l.cfg.Name, &ssh.ClientConfig{
		User:              l.cfg.User,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(l.cfg.Signers...)},
		HostKeyCallback:   l.pin.checkHostKey,
		HostKeyAlgorithms: l.pin.algorithms(),
	})
	if err != nil {
		stop()
		if changed := l.pin.refusal(err); changed != nil {
			return nil, changed
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if strings.Contains(err.Error(), "unable to authenticate") { // x/crypto/ssh has no error value for this
			err = ErrKey
		} else if cause := errors.Unwrap(err); cause != nil { // without "ssh: handshake failed"
			err = cause
		}
		return nil, fmt.Errorf("no SSH handshake: %w", err)
	}
	c := &conn{
		client:  ssh.NewClient(sc, chans, reqs),
		raw:     raw,
		slots:   make(chan struct{}, channels),
		killing: make(chan struct{}, 1),
		dead:    make(chan struct{}),
	}
	go func() {
		err := c.client.Wait()
		c.endWith(fmt.Errorf("connection lost: %w", err))
	}()
	if !stop() {
		c.endWith(context.Cause(ctx))
		return nil, fmt.Errorf("no SSH handshake: %w", context.Cause(ctx))
	}
	go c.keepProbing(l.cfg.Interval, l.cfg.Timeout, l.cfg.now)
	return c, nil
}

// dial dials, with a time limit even if Dial ignores its context.
func (l *Link) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.cfg.DialTimeout, retry.Late(l.cfg.DialTimeout))
	defer cancel()
	return runUntil(ctx, func() (net.Conn, error) { return l.cfg.Dial(ctx) }, func(c net.Conn) { c.Close() })
}

// endWith ends the connection with an error; the first one counts.
func (c *conn) endWith(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.dead)
		go c.raw.Close() // may block if it is a tunnel
	})
}

// keepProbing sends a request when nothing has arrived for an interval, and ends the connection when nothing arrives
// for the timeout. Any data counts. Time during which this machine slept does not.
func (c *conn) keepProbing(interval, timeout time.Duration, now func() time.Time) {
	count := silence.Start(now(), c.raw.received.Load())
	answered := make(chan struct{}, 1)
	asking := false
	wait := interval
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-c.dead:
			return
		case <-answered:
			asking = false
			continue
		case <-timer.C:
		}
		quiet, said := count.SilentFor(now(), wait, c.raw.received.Load())
		if quiet >= timeout {
			c.endWith(fmt.Errorf("no answer for %s", quiet.Round(time.Second)))
			return
		}
		if !said && !asking {
			asking = true
			go func() {
				// An error means that the connection is closing, which ends the loop above.
				_, _, _ = c.client.SendRequest("keepalive@openssh.com", true, nil)
				answered <- struct{}{}
			}()
		}
		wait = min(interval, timeout-quiet)
		timer.Reset(wait)
	}
}

// lostError returns the error of a call that was running when the connection ended.
func (c *conn) lostError(name string) error {
	select {
	case <-c.dead:
		return &Lost{Name: name, Err: c.err}
	default:
		return &Lost{Name: name, Err: errors.New("connection lost")}
	}
}

// broken reports whether the connection has ended, or is about to be ended.
func (c *conn) broken() bool {
	select {
	case <-c.dead:
		return true
	default:
		return c.raw.failed.Load()
	}
}

// meteredConn counts the data that arrives, reads it at the link's pace, and notices when the transport fails, which
// no layer above notices as early.
type meteredConn struct {
	net.Conn
	received atomic.Int64
	failed   atomic.Bool

	pace    *atomic.Pointer[func(n int)] // of the link
	unpaced int                          // bytes that were read since the last call of pace
	more    bool                         // the last read filled its buffer, so more data is likely to wait
}

func (m *meteredConn) Read(p []byte) (int, error) {
	if !m.more {
		if pace := m.pace.Load(); pace != nil {
			(*pace)(m.unpaced)
		}
		m.unpaced = 0
	}
	n, err := m.Conn.Read(p)
	m.unpaced, m.more = m.unpaced+n, n == len(p)
	m.received.Add(int64(n))
	if err != nil {
		m.failed.Store(true)
	}
	return n, err
}

func (m *meteredConn) Close() error {
	m.failed.Store(true)
	return m.Conn.Close()
}

// runUntil runs f, which may ignore ctx, and returns when ctx ends. It passes a late result to discard.
func runUntil[T any](ctx context.Context, f func() (T, error), discard func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				discard(r.value)
			}
		}()
		var zero T
		return zero, context.Cause(ctx)
	}
}

// isFull reports whether the server refused because it has too many sessions. It may still count a session that was
// just closed.
func isFull(err error) bool {
	var refused *ssh.OpenChannelError
	return errors.As(err, &refused) && (refused.Reason == ssh.ConnectionFailed || refused.Reason == ssh.ResourceShortage)
}
