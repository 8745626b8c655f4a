package logpane

// ShipNumber is the number of a ship while the captain types its two digits. Its zero value waits for none.
type ShipNumber struct {
	typing bool
	digits string
}

// Begin waits for the digits.
func (n *ShipNumber) Begin() { n.typing = true }

// End waits for no more digits, and reports whether it did.
func (n *ShipNumber) End() (was bool) {
	was = n.typing
	*n = ShipNumber{}
	return was
}

// IsTyped reports whether digits are awaited.
func (n *ShipNumber) IsTyped() bool { return n.typing }

// Digits returns the digits so far.
func (n *ShipNumber) Digits() string { return n.digits }

// Take takes a key: the second digit shows the ship in the pane or leaves it out, g goes to the top, and anything else ends the number.
func (n *ShipNumber) Take(key string, p *Pane) {
	digit := len(key) == 1 && key[0] >= '0' && key[0] <= '9'
	switch {
	case digit && n.digits == "":
		n.digits = key
		return
	case digit:
		p.ToggleShip(int(n.digits[0]-'0')*10 + int(key[0]-'0'))
	case key == "g":
		p.Top()
	}
	n.End()
}
