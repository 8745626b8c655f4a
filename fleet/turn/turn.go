// Package turn is a mutex whose wait a context ends.
package turn

import "context"

// Turn is held by one at a time.
type Turn chan struct{}

// New returns a turn that nobody holds.
func New() Turn { return make(Turn, 1) }

// Lock takes the turn, unless ctx ends first; that is the error then.
func (t Turn) Lock(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlock gives it up. Only its holder may.
func (t Turn) Unlock() { <-t }
