// Package turn is a mutex whose wait a context ends.
package turn

import "context"

// Turn is held by one at a time.
type Turn chan struct{}

// New returns a free turn.
func New() Turn { return make(Turn, 1) }

// Lock takes the turn, unless ctx ends first; that is the error then.
func (t Turn) Lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TryLock takes the turn if it is free, and reports whether it did.
func (t Turn) TryLock() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock gives it up. Only its holder may.
func (t Turn) Unlock() { <-t }
