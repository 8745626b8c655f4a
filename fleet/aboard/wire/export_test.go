package wire

import "time"

// At has a connection take the time from that clock.
func (o Options) At(now func() time.Time) Options {
	o.now = now
	return o
}
