// Package wake wakes goroutines that wait for news.
package wake

import "sync"

// Signal holds at most one piece of news: a second Send before a receive adds nothing. The reader
// receives from it and then looks at everything that may have changed.
type Signal chan struct{}

// New returns a signal that holds no news.
func New() Signal { return make(Signal, 1) }

// Send wakes the reader, or has its next receive return at once. It never blocks.
func (s Signal) Send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// News wakes all goroutines that wait for it. Its zero value is ready to use, and its methods are safe for concurrent use and never block.
type News struct {
	mu   sync.Mutex
	next chan struct{} // nil while no goroutine waits
}

// Next returns a channel that is closed by the next Send. A goroutine that calls Next before it looks misses no news.
func (n *News) Next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// Send wakes all goroutines that wait.
func (n *News) Send() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}
