package exedev

import "time"

// Wait has a login to the lobby take no longer than that.
func (p *Provider) Wait(patience time.Duration) { p.captain.Patience = patience }
