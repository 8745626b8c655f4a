package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/diffpage"
)

// openTrees shows the state of a voyage's shared trees, and both sides of each clashing file.
func (m *Model) openTrees() cmd {
	m.pages.diff = diffpage.OfTrees()
	m.openPage(diff)
	return m.readTrees()
}

// readTrees reads the data of the tree page while the page is open: at first, and when a new board says something else about the
// trees.
func (m *Model) readTrees() tea.Cmd {
	if !m.showsTrees() {
		return nil
	}
	return m.pages.diff.ReloadTrees(m.ctx, m.v.Dir, m.v.Board)
}

func (m *Model) showsTrees() bool { return m.place == diff && m.pages.diff.ShowsTrees() }
