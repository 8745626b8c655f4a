package link

import "time"

// At makes a link use this clock.
func (c Config) At(now func() time.Time) Config {
	c.now = now
	return c
}
