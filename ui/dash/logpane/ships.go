package logpane

import (
	"cmp"
	"fmt"
	"strings"

	"ocaptain/ui/logs"
)

// shipNamed returns the name of the ship with a number.
func (p *Pane) shipNamed(number int) string {
	for _, f := range p.book.Files() {
		if f.Number() == number {
			return f.Ship
		}
	}
	return fmt.Sprintf("ship-%d", number)
}

// compareShips orders ships by number.
func compareShips(a, b string) int {
	return cmp.Or(cmp.Compare(logs.File{Ship: a}.Number(), logs.File{Ship: b}.Number()), strings.Compare(a, b))
}
