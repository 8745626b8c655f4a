package facts

import "time"

// Absence says since when a provider has not found a machine. The zero Absence means that the last look found the
// machine.
type Absence struct {
	since  time.Time // the first look that failed
	Proven bool      // a later look failed too; one is no proof, since a provider may leave a machine out of one answer
}

// Missed returns the absence after another look that failed. The machine is proven to be gone if that look was at
// least proof later than the first.
func (a Absence) Missed(at time.Time, proof time.Duration) Absence {
	if a.since.IsZero() {
		a.since = at
	}
	a.Proven = a.Proven || at.Sub(a.since) >= proof
	return a
}
