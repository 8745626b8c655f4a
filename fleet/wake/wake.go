// Package wake wakes a goroutine that waits for news.
package wake

// Signal holds at most one piece of news: what is sent while it holds one adds nothing. Its reader
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
