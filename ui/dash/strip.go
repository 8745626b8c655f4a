package dash

import (
	"fmt"

	"ocaptain/fleet/need"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// maxStrip is how many rows the needs take at most.
const maxStrip = 6

// stripRows is how many rows below the header tell the needs: as many as there are, and no more than a screen of this
// height has to spare.
func (m *Model) stripRows() int {
	if m.v == nil || m.place != home {
		return 0
	}
	return min(len(m.v.needs.All), maxStrip, max(0, (m.height-6)/3))
}

// strip tells the needs in a row each; the last row counts the needs that have no room.
func (m *Model) strip() []string {
	all := m.v.needs.All
	rows := make([]string, 0, maxStrip)
	for i := range m.stripRows() {
		if n := len(all) - i; i == m.stripRows()-1 && n > 1 {
			rows = append(rows, pane.Fit(" "+theme.Needs.Render(fmt.Sprintf("▲ %d more need you", n))+theme.Dim.Render("; !! lists all"), m.width))
			continue
		}
		rows = append(rows, m.stripRow(&all[i]))
	}
	return rows
}

// stripRow tells a need: who, why and for how long.
func (m *Model) stripRow(n *need.Need) string {
	age := ""
	if !n.Since.IsZero() {
		age = " " + words.Age(m.now.Sub(n.Since)) + " "
	}
	who := theme.Needs.Render("▲ " + attention.Head(n))
	return pane.Fit(" "+who+theme.Plain.Render(": "+attention.Why(n)), m.width-len(age)) + theme.Dim.Render(age)
}

// clickStrip goes to the need in a row of the strip, or lists all.
func (m *Model) clickStrip(row int) cmd {
	all := m.v.needs.All
	if row == m.stripRows()-1 && len(all) > m.stripRows() {
		return m.openNeeds()
	}
	return m.goTo(&all[row])
}
