package dash

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act/ondecision"
	"ocaptain/ui/dash/costpage"
	"ocaptain/ui/dash/diffpage"
	"ocaptain/ui/dash/discoverypage"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/tasksheet"
	"ocaptain/ui/dash/toast"
)

// openPage fills the screen with a page. Its data follows a moment later.
func (m *Model) openPage(p screen.Page) cmd {
	m.page = p
	return m.reloadPage()
}

// reloadPage reads the data of the page again, which a new board may have changed.
func (m *Model) reloadPage() tea.Cmd {
	if m.page == nil {
		return nil
	}
	return m.page.Reload(m.ctx, m.v.Dir, m.v.Board, m.o.Now())
}

// diff returns the page of a diff, nil while none is shown.
func (m *Model) diff() *diffpage.Page {
	p, _ := m.page.(*diffpage.Page)
	return p
}

// openCosts shows what the voyage costs.
func (m *Model) openCosts() cmd { return m.openPage(&costpage.Page{}) }

// changeBudget asks for the voyage's budget.
func (m *Model) changeBudget() cmd {
	return ondecision.Budget(m.deck(), int(math.Ceil(m.v.Board.Budget.Max)))
}

// openDetail shows everything about the selected task.
func (m *Model) openDetail() cmd {
	return m.openPage(tasksheet.New(&m.v.Tasks.Tasks, m.selectedTask().ID))
}

// openTrees shows the state of a voyage's shared trees, and both sides of each clashing file.
func (m *Model) openTrees() cmd { return m.openPage(diffpage.OfTrees()) }

// oldestProposal shows the proposal that has waited longest.
func (m *Model) oldestProposal() cmd { return m.openProposal(m.v.Board.Proposals[0].ID) }

// openProposal shows the whole of a proposal. The captain's decision is then about what is shown.
func (m *Model) openProposal(number int) cmd {
	p := m.v.Board.Proposal(number)
	if p == nil {
		return m.say(toast.Good, "that proposal is off the list")
	}
	return m.openPage(diffpage.OfProposal(m.v.Board, p))
}

// openDiscoveries shows the discoveries of reviewers in the repository.
func (m *Model) openDiscoveries() cmd { return m.openPage(&discoverypage.Page{}) }

// found returns the page of discoveries.
func (m *Model) found() *discoverypage.Page { return m.page.(*discoverypage.Page) }

// noDiscovery returns why no discovery can be shown, "" if one can.
func (m *Model) noDiscovery() string {
	if m.found().IsEmpty() {
		return "there are no discoveries"
	}
	return ""
}

// wholeDiscovery shows the whole text of the selected discovery, or the list again.
func (m *Model) wholeDiscovery() cmd {
	m.found().Toggle()
	return nil
}
