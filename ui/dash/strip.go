package dash

// maxStrip is the largest number of rows for needs.
const maxStrip = 6

// stripRows returns how many rows below the header show needs: one for each, as far as the screen's height allows.
func (m *Model) stripRows() int {
	if m.v == nil || !m.atHome() {
		return 0
	}
	return min(len(m.v.Needs.All), maxStrip, max(0, (m.height-6)/3))
}

// clickStrip goes to the need in a row of the strip, or lists all needs.
func (m *Model) clickStrip(row int) cmd {
	all := m.v.Needs.All
	if row == m.stripRows()-1 && len(all) > m.stripRows() {
		return m.openNeeds()
	}
	return m.goTo(&all[row])
}
