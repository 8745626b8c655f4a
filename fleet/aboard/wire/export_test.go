package wire

import "time"

// At makes a connection use this clock.
func (o Options) At(now func() time.Time) Options {
	o.now = now
	return o
}
