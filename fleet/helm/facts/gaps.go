package facts

import (
	"slices"
	"time"
)

// Gaps remembers how long helm could not reach a ship, for the last few times.
type Gaps struct {
	since time.Time // since when the ship is out of reach, zero when it is not
	last  []time.Duration
}

// maxGaps is how many gaps are remembered.
const maxGaps = 8

// Note records that the ship has been in reach, or out of reach, since a time.
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

// Longest returns the longest of the remembered gaps.
func (g *Gaps) Longest() time.Duration {
	if len(g.last) == 0 {
		return 0
	}
	return slices.Max(g.last)
}
