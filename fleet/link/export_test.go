package link

import "time"

// At has a link take the time from that clock.
func (c Config) At(now func() time.Time) Config {
	c.now = now
	return c
}
