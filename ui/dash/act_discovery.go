package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/discoverypage"
)

// openDiscoveries shows the discoveries of reviewers in the repository.
func (m *Model) openDiscoveries() cmd {
	m.pages.found = &discoverypage.Page{}
	m.openPage(onDiscoveries)
	return m.readDiscoveries()
}

// readDiscoveries reads the data of the discovery page while the page is open: at first, and when the branch has
// moved.
func (m *Model) readDiscoveries() tea.Cmd {
	if m.pages.found == nil || m.place != onDiscoveries {
		return nil
	}
	b := m.v.Board
	return m.pages.found.Reload(m.ctx, m.v.Dir.Workspace(), b.Voyage.Branch, b.Head, m.o.Now())
}

// noDiscovery says why no discovery can be shown.
func (m *Model) noDiscovery() string {
	if m.pages.found.IsEmpty() {
		return "there are no discoveries"
	}
	return ""
}

// wholeDiscovery shows the whole text of the selected discovery, or the list again.
func (m *Model) wholeDiscovery() cmd {
	m.pages.found.Toggle()
	return nil
}
