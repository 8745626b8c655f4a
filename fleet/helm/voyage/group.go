package voyage

import gosync "sync"

// group has the goroutines of a part that ends. None begins once close was called.
type group struct {
	mu     gosync.Mutex
	closed bool
	all    gosync.WaitGroup
}

// Go runs f, unless the group is closed.
func (g *group) Go(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.all.Go(f)
	}
}

// close waits for the running ones.
func (g *group) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.all.Wait()
}
