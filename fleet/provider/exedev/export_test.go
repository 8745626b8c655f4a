package exedev

import "time"

// Wait has a login to the lobby take no longer than that.
func (p *Provider) Wait(patience time.Duration) { p.captain.Patience = patience }

// TakeTurn has every other command wait until the function returned is called.
func (p *Provider) TakeTurn() (giveBack func()) {
	p.turn <- struct{}{}
	return func() { <-p.turn }
}
