package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/costpage"
)

// openCosts shows what the voyage costs.
func (m *Model) openCosts() cmd {
	m.costs = &costpage.Page{}
	m.openPage(onCosts)
	return m.readCosts()
}

// readCosts reads what the page of costs shows, when it is open: at first, and with each new board.
func (m *Model) readCosts() tea.Cmd {
	page := m.costs
	if page == nil || m.place != onCosts {
		return nil
	}
	dir, board, now := m.v.dir, m.v.board, m.o.Now()
	return func() tea.Msg {
		data, err := costpage.Read(dir, board, now)
		return result(func(m *Model) cmd {
			switch {
			case m.costs != page:
			case err != nil:
				page.SetError(err)
			default:
				page.SetData(data)
			}
			return nil
		})
	}
}
