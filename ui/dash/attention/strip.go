package attention

import (
	"fmt"
	"time"

	"ocaptain/fleet/need"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Strip returns n rows of a width, each with a need; the last row counts the needs that have no row.
func Strip(all []need.Need, now time.Time, width, n int) []string {
	rows := make([]string, 0, n)
	for i := range n {
		if left := len(all) - i; i == n-1 && left > 1 {
			rows = append(rows, pane.Fit(" "+theme.Needs.Render(fmt.Sprintf("▲ %d more need you", left))+theme.Dim.Render("; !! lists all"), width))
			continue
		}
		rows = append(rows, stripRow(&all[i], now, width))
	}
	return rows
}

// stripRow returns the row of a need: who, why and for how long.
func stripRow(n *need.Need, now time.Time, width int) string {
	age := ""
	if !n.Since.IsZero() {
		age = " " + words.Age(now.Sub(n.Since)) + " "
	}
	who := theme.Needs.Render("▲ " + Head(n))
	return pane.Fit(" "+who+theme.Plain.Render(": "+Why(n)), width-len(age)) + theme.Dim.Render(age)
}
