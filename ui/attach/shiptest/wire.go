package shiptest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Wire is a network to a ship that a test can cut or freeze.
type Wire struct {
	to     string
	mu     sync.Mutex
	thaw   *sync.Cond
	frozen bool
	down   bool
	conns  map[net.Conn]bool
	dials  int
	reads  atomic.Int64
}

func newWire(to string) *Wire {
	w := &Wire{to: to, conns: map[net.Conn]bool{}}
	w.thaw = sync.NewCond(&w.mu)
	return w
}

// Dial connects to the ship.
func (w *Wire) Dial(ctx context.Context) (net.Conn, error) {
	w.mu.Lock()
	w.dials++
	down := w.down
	w.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: net.ErrClosed}
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", w.to)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = true
	return &wired{Conn: c, wire: w}, nil
}

// Dials returns how often the ship was dialled.
func (w *Wire) Dials() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials
}

// Reads returns how often data was read that the ship sent.
func (w *Wire) Reads() int { return int(w.reads.Load()) }

// Cut ends all connections. With down, no connection can be made until Mend.
func (w *Wire) Cut(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	for c := range w.conns {
		c.Close()
	}
	clear(w.conns)
}

// Freeze stops all bytes in both directions, without breaking a connection.
func (w *Wire) Freeze() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = true
}

// Mend undoes Cut and Freeze.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen, w.down = false, false
	w.thaw.Broadcast()
}

// wired is a connection through a Wire.
type wired struct {
	net.Conn
	wire   *Wire
	closed bool // guarded by wire.mu
}

// pass waits while the wire is frozen.
func (c *wired) pass() {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	for c.wire.frozen && !c.closed {
		c.wire.thaw.Wait()
	}
}

func (c *wired) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wire.reads.Add(1)
	c.pass()
	return n, err
}

func (c *wired) Write(p []byte) (int, error) {
	c.pass()
	return c.Conn.Write(p)
}

func (c *wired) Close() error {
	c.wire.mu.Lock()
	c.closed = true
	delete(c.wire.conns, c.Conn)
	c.wire.thaw.Broadcast()
	c.wire.mu.Unlock()
	return c.Conn.Close()
}
