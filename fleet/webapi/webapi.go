// Package webapi is what clients of services on the web have in common: they ask again with patience, and show
// what was said in one short line.
package webapi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/retry"
)

// Patience bounds the pauses between attempts.
type Patience struct{ Least, Most time.Duration }

// Pause waits before the next attempt, n having been made: as long as the service asked for, or longer each
// time. It does not begin a wait that ctx will not see the end of.
func (p Patience) Pause(ctx context.Context, n int, asked time.Duration) error {
	wait := min(p.Least<<min(n-1, 10), p.Most)
	wait = asked + wait/2 + rand.N(wait/2)
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return fmt.Errorf("there is no time to try again in %s: %w", wait.Round(time.Second), context.DeadlineExceeded)
	}
	return retry.Sleep(ctx, wait)
}

// RetryAfter is how long a service asks to wait, an hour at most; seconds in the text of its answer count before the
// header Retry-After.
func RetryAfter(seconds float64, header string) time.Duration {
	if n, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil && seconds <= 0 {
		seconds = n
	}
	if !(seconds > 0) { // also not a number
		return 0
	}
	return time.Duration(min(seconds, 3600) * float64(time.Second))
}

// ShortLine makes one line of text of a service, not longer than n bytes.
func ShortLine(text string, n int) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), n)], "")), " ")
}
