package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/search/discoveries"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/discoverypage"
)

// openDiscoveries shows the discoveries of reviewers in the repository.
func (m *Model) openDiscoveries() cmd {
	m.pages.found, m.pages.foundIn = &discoverypage.Page{}, ""
	m.openPage(onDiscoveries)
	return m.readDiscoveries()
}

// readDiscoveries reads the data of the discovery page while the page is open: at first, and when the branch has
// moved.
func (m *Model) readDiscoveries() tea.Cmd {
	page := m.pages.found
	if page == nil || m.place != onDiscoveries || m.pages.foundIn != "" && m.pages.foundIn == m.v.board.Head {
		return nil
	}
	m.pages.foundIn = m.v.board.Head
	dir, branch, ctx, now := m.v.dir.Workspace(), m.v.board.Voyage.Branch, m.ctx, m.o.Now()
	return func() tea.Msg {
		found, err := discoveries.Find(ctx, dir, "refs/heads/"+branch)
		return act.Then(func() cmd {
			switch {
			case m.pages.found != page:
			case err != nil:
				page.SetError(err)
			default:
				page.SetFound(found, now)
			}
			return nil
		})
	}
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
