package dash

import tea "charm.land/bubbletea/v2"

// page is what fills the screen and scrolls as a whole: a task's detail, a diff.
type page interface {
	ScrollBy(n int)
	Top()
	Bottom()
	NextFile(n int)
}

// page returns what fills the screen, nil where the panes are.
func (m *Model) page() page {
	switch m.place {
	case detail:
		return m.detail
	case diff:
		return m.diff
	}
	return nil
}

// moveBy moves in what has the focus by n rows.
func moveBy(n int) action {
	return func(m *Model) cmd {
		if p := m.page(); p != nil {
			p.ScrollBy(n)
			return nil
		}
		switch m.focus {
		case agents:
			m.v.agents.MoveBy(n)
		case taskList:
			m.v.tasks.MoveBy(n)
		case logs:
			m.v.logs.MoveBy(n)
		case ship:
			return m.scrollShip(-n)
		}
		return nil
	}
}

// pageBy moves by n halves of a page.
func pageBy(n int) action {
	return func(m *Model) cmd {
		half := n * max(1, (m.height-4)/2)
		if p := m.page(); p != nil {
			p.ScrollBy(half)
			return nil
		}
		switch m.focus {
		case agents:
			m.v.agents.PageBy(n)
		case taskList:
			m.v.tasks.PageBy(n)
		case logs:
			m.v.logs.PageBy(n)
		case ship:
			return m.scrollShip(-n * max(1, m.layout()[ship].h/2))
		}
		return nil
	}
}

// top goes to the first row.
func (m *Model) top() cmd {
	if p := m.page(); p != nil {
		p.Top()
		return nil
	}
	switch m.focus {
	case agents:
		m.v.agents.Top()
	case taskList:
		m.v.tasks.Top()
	case logs:
		m.v.logs.Top()
	case ship:
		return m.scrollShip(1 << 20)
	}
	return nil
}

// bottom goes to the last row.
func (m *Model) bottom() cmd {
	if p := m.page(); p != nil {
		p.Bottom()
		return nil
	}
	switch m.focus {
	case agents:
		m.v.agents.Bottom()
	case taskList:
		m.v.tasks.Bottom()
	case logs:
		m.v.logs.Bottom()
	case ship:
		m.v.views.Pane(m.shipName()).Bottom()
	}
	return nil
}

// hit goes to the next match, or to the next file of a diff.
func hit(n int) action {
	return func(m *Model) cmd {
		if p := m.page(); p != nil {
			p.NextFile(n)
			return nil
		}
		switch m.focus {
		case logs:
			m.v.logs.NextHit(n)
		case taskList:
			m.v.tasks.MoveBy(n) // only matches are shown
		case agents:
			m.v.agents.MoveBy(n)
		}
		return nil
	}
}

// sideways moves what is wider than its pane.
func sideways(n int) action {
	return func(m *Model) cmd {
		switch m.focus {
		case taskList:
			m.v.tasks.MoveAcross(n)
		case logs:
			m.v.logs.Sideways(n)
		}
		return nil
	}
}

// scrollShip scrolls the live view back by n rows. What the ship has shown before is
// fetched when it is needed first.
func (m *Model) scrollShip(n int) cmd {
	name := m.shipName()
	if name == "" {
		return nil
	}
	fetch := m.v.views.Pane(name).ScrollBy(n)
	if fetch == nil {
		return nil
	}
	ctx := m.ctx
	return func() tea.Msg {
		err := fetch(ctx)
		return result(func(m *Model) cmd {
			if err != nil {
				return m.say(bad, "history of "+name+": "+err.Error())
			}
			return nil
		})
	}
}
