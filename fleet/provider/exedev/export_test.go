package exedev

// TakeTurn has every other command wait until the function returned is called.
func (p *Provider) TakeTurn() (giveBack func()) {
	p.turn <- struct{}{}
	return func() { <-p.turn }
}
