// Package webapi is common to clients of web services: it paces their retries, and shows a service's text in one
// short line.
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

// Patience holds the shortest and the longest pause between attempts.
type Patience struct{ Least, Most time.Duration }

// Pause waits before the next attempt after n attempts: as long as the service asked for, or longer each time. It
// returns at once with an error when ctx would end during the wait.
func (p Patience) Pause(ctx context.Context, n int, asked time.Duration) error {
	wait := min(p.Least<<min(n-1, 10), p.Most)
	wait = asked + wait/2 + rand.N(wait/2)
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return fmt.Errorf("there is no time to try again in %s: %w", wait.Round(time.Second), context.DeadlineExceeded)
	}
	return retry.Sleep(ctx, wait)
}

// RetryAfter returns how long a service asks to wait, an hour at most. A number of seconds in the service's answer
// takes precedence over the header Retry-After.
func RetryAfter(seconds float64, header string) time.Duration {
	if n, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil && seconds <= 0 {
		seconds = n
	}
	if !(seconds > 0) { // also true for NaN
		return 0
	}
	return time.Duration(min(seconds, 3600) * float64(time.Second))
}

// ShortLine joins a service's text into one line of at most n bytes.
func ShortLine(text string, n int) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), n)], "")), " ")
}
