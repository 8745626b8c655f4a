package retry

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Patience gives the pauses of a caller that retries after a pause, or earlier when something changes. The pause
// doubles only when an attempt after the pause has failed, and not after an earlier one, since changes may be
// frequent.
type Patience struct {
	pauses *backoff.ExponentialBackOff
	until  time.Time // when the pause ends
}

// NewPatience returns a Patience whose pauses grow as those of Doubling.
func NewPatience(least, most time.Duration) *Patience {
	return &Patience{pauses: Doubling(least, most)}
}

// Wait returns how long to wait after an attempt that failed at now.
func (p *Patience) Wait(now time.Time) time.Duration {
	if !now.Before(p.until) {
		p.until = now.Add(p.pauses.NextBackOff())
	}
	return p.until.Sub(now)
}

// Reset begins with the shortest pause again. Call it after a successful attempt.
func (p *Patience) Reset() {
	p.pauses.Reset()
	p.until = time.Time{}
}
