// Package link keeps one SSH connection to a ship open, and runs commands, streams, terminals and file writes over
// it, each on its own channel.
package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/wake"
)

// Config says how to reach a ship and which host key to expect.
type Config struct {
	// Name of the ship, for errors.
	Name string

	// Dial opens a connection to the ship's SSH server. It is called at every reconnect, so that the address may change.
	Dial func(ctx context.Context) (net.Conn, error)

	User    string
	Signers []ssh.Signer

	// HostKey is the pinned public key of the ship, in authorized_keys format. The link never uses a server that shows
	// another one. A ship that can be reached in several ways may have a line for each.
	HostKey string

	// LearnHostKey allows an empty HostKey: the link then accepts the key that the first connection shows, and
	// Link.HostKey returns it, to be pinned. Use it only for provisioning.
	LearnHostKey bool

	// Interval is how often a quiet connection is probed (default 5 s). After the silence Timeout it counts as dead
	// (default 15 s).
	Interval, Timeout time.Duration

	// DialTimeout bounds dialling, and ConnectTimeout the handshake after it (default 15 s each). ConnectTimeout also
	// bounds opening a channel and starting a command.
	DialTimeout, ConnectTimeout time.Duration

	// RetryMin and RetryMax bound the jittered wait between attempts (default 250 ms
	// and 30 s).
	RetryMin, RetryMax time.Duration

	// BulkIdle is how long an unused bulk connection stays open (default 1 min).
	BulkIdle time.Duration

	// Moved, if not nil, is called when data of a command's input or output is transferred. It must not block.
	Moved func()

	now func() time.Time // nil for time.Now
}

// Link is the connection to one ship. It connects and reconnects by itself until Close. The methods of its Lane use
// the main connection: a call waits for the first attempt to connect, and after that fails at once with ErrDown while
// the ship is out of reach.
type Link struct {
	Lane

	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	pin    *pin
	bulk   bulk
	wake   wake.Signal
	pace   atomic.Pointer[func(n int)]

	mu      sync.Mutex
	status  Status
	conn    *conn         // nil unless connected
	changed chan struct{} // closed and replaced at every change of status
}

// Open starts to connect and returns at once. It fails only if the Config is invalid.
func Open(cfg Config) (*Link, error) {
	if cfg.Dial == nil || cfg.User == "" || len(cfg.Signers) == 0 {
		return nil, errors.New("link needs a way to dial, a user and a key")
	}
	pin, err := newPin(cfg)
	if err != nil {
		return nil, fmt.Errorf("host key of %s: %w", cfg.Name, err)
	}
	defaultTo(&cfg.Interval, 5*time.Second)
	defaultTo(&cfg.Timeout, 15*time.Second)
	defaultTo(&cfg.DialTimeout, 15*time.Second)
	defaultTo(&cfg.ConnectTimeout, 15*time.Second)
	defaultTo(&cfg.RetryMin, 250*time.Millisecond)
	defaultTo(&cfg.RetryMax, 30*time.Second)
	defaultTo(&cfg.BulkIdle, time.Minute)
	if cfg.now == nil {
		cfg.now = time.Now
	}

	l := &Link{
		cfg:     cfg,
		pin:     pin,
		wake:    wake.New(),
		status:  Status{State: Connecting, Since: time.Now()},
		changed: make(chan struct{}),
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.Lane = l.lane(l.current)
	l.bulk.init(l)
	go l.supervise()
	return l, nil
}

// SetPace has pace called whenever a connection of the link has been read empty, before it is read again; nil ends
// that. n is how many bytes were read since the last call. While pace waits, the ship's output gathers in the
// connection, so that many small packets are read at once.
func (l *Link) SetPace(pace func(n int)) {
	if pace == nil {
		l.pace.Store(nil)
		return
	}
	l.pace.Store(&pace)
}

// lane returns a lane whose connection get returns.
func (l *Link) lane(get func(context.Context) (*conn, error)) Lane {
	return Lane{name: l.cfg.Name, timeout: l.cfg.ConnectTimeout, connect: l.cfg.DialTimeout + l.cfg.ConnectTimeout, moved: l.cfg.Moved, get: get}
}

func defaultTo(d *time.Duration, v time.Duration) {
	if *d <= 0 {
		*d = v
	}
}

// Close ends the link and every call on it. It returns at once, even if the ship is dead.
func (l *Link) Close() error {
	l.cancel()
	l.set(Status{State: Closed}, nil)
	return nil
}

// BulkLane returns the lane of the second connection, for transfers so big that they would delay events and keys. It
// connects when it is first used, and closes when idle.
func (l *Link) BulkLane() *Lane { return &l.bulk.Lane }

// HostKey returns the ship's public key in authorized_keys format: the pinned key, or the learned one. It is empty
// until one is learned.
func (l *Link) HostKey() string { return l.pin.String() }

// RetryNow ends the pause before the next attempt to connect. Call it when the ship is likely to be back.
func (l *Link) RetryNow() {
	l.wake.Send()
}

// current returns the main connection. It waits only for the first attempt to connect.
func (l *Link) current(ctx context.Context) (*conn, error) {
	for {
		l.mu.Lock()
		status, c, changed := l.status, l.conn, l.changed
		l.mu.Unlock()
		if c != nil && !c.broken() {
			return c, nil
		}
		if c == nil && status.State != Connecting {
			return nil, status.asError(l.cfg.Name)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("connect to %s: %w", l.cfg.Name, ctx.Err())
		}
	}
}
