package dash

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act/ondecision"
	"ocaptain/ui/dash/costpage"
)

// changeBudget asks for the voyage's budget.
func (m *Model) changeBudget() cmd {
	return ondecision.Budget(m.deck(), int(math.Ceil(m.v.Board.Budget.Max)))
}

// openCosts shows what the voyage costs.
func (m *Model) openCosts() cmd {
	m.pages.costs = &costpage.Page{}
	m.openPage(onCosts)
	return m.readCosts()
}

// readCosts reads the data of the cost page while the page is open: at first, and with each new board.
func (m *Model) readCosts() tea.Cmd {
	if m.pages.costs == nil || m.place != onCosts {
		return nil
	}
	return m.pages.costs.Reload(m.v.Dir, m.v.Board, m.o.Now())
}
