package dash

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/ontree"
	"ocaptain/ui/dash/patchview"
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
	m.pages.diff = &diffPage{DiffView: patchview.NewDiffView("the tree that all share"), trees: []string{}}
	m.openPage(diff)
	return m.readTrees()
}

// readTrees reads the data of the tree page while the page is open: at first, and when a new board says something else about the
// trees.
func (m *Model) readTrees() tea.Cmd {
	page := m.pages.diff
	if m.place != diff || page.trees == nil {
		return nil
	}
	dir, ctx, said, clashes := m.v.dir, m.ctx, changes.OfTrees(m.v.board), changes.Clashes(m.v.board)
	shown := slices.Clone(said)
	for _, c := range clashes {
		shown = append(shown, c.String())
	}
	if slices.Equal(shown, page.trees) {
		return nil
	}
	page.trees = shown
	return func() tea.Msg {
		patch, err := changes.ReadTrees(ctx, dir, said, clashes)
		return act.Then(func() cmd {
			if m.pages.diff != page {
				return nil
			}
			if page.SetError(err); err == nil {
				page.SetLines(patch)
			}
			return nil
		})
	}
}

func (m *Model) nothingToSettle() string {
	if m.place != diff || m.pages.diff.trees == nil || ontree.IsSettled(m.v.board) {
		return "nothing that is shown is to be settled"
	}
	return ""
}

// settleTree settles what the tree page shows.
func (m *Model) settleTree() cmd { return ontree.Settle(m.deck()) }
