package dash

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/ondecision"
	"ocaptain/ui/dash/costpage"
)

// changeBudget asks for the voyage's budget.
func (m *Model) changeBudget() cmd {
	return ondecision.Budget(m.deck(), int(math.Ceil(m.v.board.Budget.Max)))
}

// openCosts shows what the voyage costs.
func (m *Model) openCosts() cmd {
	m.pages.costs = &costpage.Page{}
	m.openPage(onCosts)
	return m.readCosts()
}

// readCosts reads the data of the cost page while the page is open: at first, and with each new board.
func (m *Model) readCosts() tea.Cmd {
	page := m.pages.costs
	if page == nil || m.place != onCosts {
		return nil
	}
	dir, board, now := m.v.dir, m.v.board, m.o.Now()
	return func() tea.Msg {
		data, err := costpage.Read(dir, board, now)
		return act.Then(func() cmd {
			switch {
			case m.pages.costs != page:
			case err != nil:
				page.SetError(err)
			default:
				page.SetData(data)
			}
			return nil
		})
	}
}
