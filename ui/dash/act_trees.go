package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/dash/act/ontree"
	"ocaptain/ui/dash/diffpage"
)

func (m *Model) noSharedTree() string {
	switch {
	case m.noVoyage() != "":
		return m.noVoyage()
	case m.v.board.Voyage.Sync != fleet.SyncLive:
		return "each ship of this voyage has a tree of its own"
	}
	return ""
}

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
	return m.pages.diff.ReloadTrees(m.ctx, m.v.dir, m.v.board)
}

func (m *Model) showsTrees() bool { return m.place == diff && m.pages.diff.ShowsTrees() }

func (m *Model) nothingToSettle() string {
	if !m.showsTrees() || ontree.IsSettled(m.v.board) {
		return "nothing that is shown is to be settled"
	}
	return ""
}
