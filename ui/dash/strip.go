package dash

import (
	"fmt"

	"ocaptain/fleet/need"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// maxStrip is the largest number of rows for needs.
const maxStrip = 6

// stripRows returns how many rows below the header show needs: one for each, as far as the screen's height allows.
func (m *Model) stripRows() int {
	if m.v == nil || m.place != home {
		return 0
	}
	return min(len(m.v.needs.All), maxStrip, max(0, (m.height-6)/3))
}

// strip returns a row for each need; the last row counts the needs that have no room.
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

// stripRow returns the row of a need: who, why and for how long.
func (m *Model) stripRow(n *need.Need) string {
	age := ""
	if !n.Since.IsZero() {
		age = " " + words.Age(m.now.Sub(n.Since)) + " "
	}
	who := theme.Needs.Render("▲ " + attention.Head(n))
	return pane.Fit(" "+who+theme.Plain.Render(": "+attention.Why(n)), m.width-len(age)) + theme.Dim.Render(age)
}

// clickStrip goes to the need in a row of the strip, or lists all needs.
func (m *Model) clickStrip(row int) cmd {
	all := m.v.needs.All
	if row == m.stripRows()-1 && len(all) > m.stripRows() {
		return m.openNeeds()
	}
	return m.goTo(&all[row])
}
