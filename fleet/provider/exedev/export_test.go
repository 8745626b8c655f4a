package exedev

import "time"

// Wait bounds the time for a login to the lobby.
func (p *Provider) Wait(patience time.Duration) { p.captain.Patience = patience }
