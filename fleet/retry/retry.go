// Package retry waits between attempts.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Doubling gives the pauses between attempts by NextBackOff: each about twice as long as the one before, up to most.
// They differ by a quarter, so that many do not come back at the same moment. Reset begins with least again.
func Doubling(least, most time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: least, MaxInterval: most, Multiplier: 2, RandomizationFactor: 0.25}
}

// Sleep waits, or returns the error of ctx.
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

// Until asks again every few milliseconds, as long as ctx lasts.
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
