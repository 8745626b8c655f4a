package attach

import (
	"io"
	"sync"
)

// gate lets the ship's bytes through to the captain's terminal during a visit. Before, it blocks
// them; afterwards, it refuses them.
type gate struct {
	mu     sync.Mutex
	moved  *sync.Cond
	to     io.Writer // nil before the visit
	closed bool
	first  chan struct{} // closed when the ship has shown something
	shown  bool
	crash  chan any // the value with which the terminal's writer panicked
	filter filter
}

func newGate(ship string, login bool) *gate {
	g := &gate{filter: filter{ship: ship, login: login}, first: make(chan struct{}), crash: make(chan any, 1)}
	g.moved = sync.NewCond(&g.mu)
	return g
}

// Write fails with io.ErrClosedPipe once the gate is closed.
func (g *gate) Write(p []byte) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shown {
		g.shown = true
		close(g.first)
	}
	for g.to == nil && !g.closed {
		g.moved.Wait()
	}
	if g.closed {
		return 0, io.ErrClosedPipe
	}
	defer func() {
		if crash := recover(); crash != nil {
			g.closed = true
			g.crash <- crash // Run panics instead, once it has restored the terminal
			err = io.ErrClosedPipe
		}
	}()
	if out := g.filter.allowed(p); len(out) > 0 {
		_, err = g.to.Write(out)
	}
	return len(p), err
}

func (g *gate) open(to io.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = io.WriteString(to, g.filter.save())
	g.to = to
	g.moved.Broadcast()
}

// close returns when no more of the ship's bytes can follow.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.moved.Broadcast()
}
