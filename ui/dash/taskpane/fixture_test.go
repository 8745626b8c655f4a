package taskpane

import (
	"ocaptain/fleet"
	"ocaptain/ui/dash/standing/standingtest"
)

// showing returns a pane with a board.
func showing(b *fleet.Board) *Pane {
	p := New()
	p.SetBoard(b, standingtest.Noon)
	return p
}
