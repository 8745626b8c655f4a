package attach

import (
	"io"
	"sync"
	"time"
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
	ahead  *ahead // nil when typed keys are shown only once the ship echoes them
}

func newGate(ship string, login bool, a *ahead) *gate {
	g := &gate{filter: filter{ship: ship, login: login}, ahead: a, first: make(chan struct{}), crash: make(chan any, 1)}
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
	return len(p), g.show(func() []byte {
		out := g.filter.allowed(p)
		if g.ahead != nil && len(out) > 0 {
			out = g.ahead.pass(time.Now(), out)
		}
		return out
	})
}

// show writes what draw returns to the terminal. The caller holds mu, and the gate is open.
func (g *gate) show(draw func() []byte) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			g.closed = true
			g.crash <- crash // Run panics instead, once it has restored the terminal
			err = io.ErrClosedPipe
		}
	}()
	if out := draw(); len(out) > 0 {
		_, err = g.to.Write(out)
	}
	return err
}

// guess has draw change the guesses on the terminal. It returns how long they may wait for an echo.
func (g *gate) guess(draw func(*ahead) []byte) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to != nil && !g.closed {
		_ = g.show(func() []byte { return draw(g.ahead) }) // a terminal that takes no output ends the visit elsewhere
	}
	return g.ahead.guesser.Patience()
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
