// Package turn is a mutex for which a caller waits no longer than its context allows.
package turn

import "context"

// Turn is a mutex: one goroutine holds it at a time.
type Turn chan struct{}

// New returns a free turn.
func New() Turn { return make(Turn, 1) }

// Lock takes the turn. When ctx ends first, it returns the error of ctx.
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

// Unlock gives the turn up. Only the holder may call it.
func (t Turn) Unlock() { <-t }
