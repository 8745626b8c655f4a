package retry

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Patience is for who tries again after a pause, or earlier when something changes. The pause doubles when an attempt
// after it fails, and not when an earlier one does: how often something changes says nothing about what is wrong.
type Patience struct {
	pauses *backoff.ExponentialBackOff
	until  time.Time // when the pause is over
}

// NewPatience has pauses as Doubling gives them.
func NewPatience(least, most time.Duration) *Patience {
	return &Patience{pauses: Doubling(least, most)}
}

// Wait is how long to wait after an attempt that failed now.
func (p *Patience) Wait(now time.Time) time.Duration {
	if !now.Before(p.until) {
		p.until = now.Add(p.pauses.NextBackOff())
	}
	return p.until.Sub(now)
}

// Reset starts over, after an attempt that did not fail.
func (p *Patience) Reset() {
	p.pauses.Reset()
	p.until = time.Time{}
}
