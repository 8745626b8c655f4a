// Package jobs waits for the goroutines of a part of helm that ends.
package jobs

import "sync"

// Group runs goroutines until it is closed. Its zero value is ready to use.
type Group struct {
	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// Go runs f in a goroutine, unless the group is closed.
func (g *Group) Go(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.all.Go(f)
	}
}

// Close starts no further goroutine, and waits until all have ended.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.Wait()
}

// Wait waits until no goroutine runs.
func (g *Group) Wait() { g.all.Wait() }
