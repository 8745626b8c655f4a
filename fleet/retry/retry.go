// Package retry waits between attempts.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Doubling returns the pauses between attempts, by NextBackOff: each about twice as long as the one before, up to
// most. They are randomized by a quarter, so that many callers do not retry at the same moment. Reset begins with
// least again.
func Doubling(least, most time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: least, MaxInterval: most, Multiplier: 2, RandomizationFactor: 0.25}
}

// Sleep waits for d, or returns the error of ctx when it ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}

// Until calls done every few milliseconds until it returns true or an error, or ctx ends.
func Until(ctx context.Context, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}
