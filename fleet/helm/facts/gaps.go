package facts

import (
	"slices"
	"time"
)

// Gaps remembers how long a ship was out of reach the last times.
type Gaps struct {
	since time.Time // it has been out of reach, zero while it is not
	last  []time.Duration
}

// maxGaps is how many are remembered.
const maxGaps = 8

// Note takes in that the ship is reached, or is not, since then.
func (g *Gaps) Note(reached bool, since time.Time) {
	switch {
	case !reached && g.since.IsZero():
		g.since = since
	case reached && !g.since.IsZero():
		g.last = append(g.last, since.Sub(g.since))
		g.last = g.last[max(0, len(g.last)-maxGaps):]
		g.since = time.Time{}
	}
}

// Longest is the longest of them.
func (g *Gaps) Longest() time.Duration {
	if len(g.last) == 0 {
		return 0
	}
	return slices.Max(g.last)
}
