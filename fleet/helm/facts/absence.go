package facts

import "time"

// Absence is since when a provider does not find a machine. It is zero when the last look found the machine.
type Absence struct {
	since  time.Time // the first look in vain
	Proven bool      // a later look was in vain too: a provider may leave a machine out of one answer
}

// Missed returns the absence after another look in vain, which proves it when it is this much later than the first.
func (a Absence) Missed(at time.Time, proof time.Duration) Absence {
	if a.since.IsZero() {
		a.since = at
	}
	a.Proven = a.Proven || at.Sub(a.since) >= proof
	return a
}
