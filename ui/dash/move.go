package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/toast"
)

// page is what fills the screen and scrolls as a whole: a task's detail, a diff.
type page interface {
	Title() string
	Info() string
	View(width, height int) []string
	ScrollBy(n int)
	Top()
	Bottom()
}

// filed is a page that has files.
type filed interface {
	CountFiles() int
	NextFile(n int)
}

// noFiles says why there is no file to go to.
func (m *Model) noFiles() string {
	if p, ok := m.page().(filed); ok && p.CountFiles() > 0 {
		return ""
	}
	return "there are no files here"
}

// fileBy goes to another file of the page, n further down.
func fileBy(n int) action {
	return func(m *Model) cmd {
		m.page().(filed).NextFile(n)
		return nil
	}
}

// page returns what fills the screen, nil where the panes are.
func (m *Model) page() page {
	switch m.place {
	case detail:
		return m.pages.detail
	case diff:
		return m.pages.diff
	case onCosts:
		return m.pages.costs
	case onDiscoveries:
		return m.pages.found
	}
	return nil
}

// list is a pane whose rows are gone through: that of agents, of tasks or of logs. All that differs between them is behind it.
type list interface {
	Name() string // what it lists
	Title() string
	Info() string
	View(width, height int) []string
	SetFocused(on bool)

	MoveBy(n int)
	MoveAcross(n int) // what is wider than the pane
	PageBy(n int)
	Top()
	Bottom()
	NextHit(n int)
	Click(x, y int)
	Wheel(n int) // rows

	Filter() string                 // as it was set
	SetFilter(pattern string) error // of a pattern that is wrong
	ClearFilters() (had bool)       // whatever hides rows
}

// list returns a pane, nil for the live view.
func (m *Model) list(f focus) list {
	return map[focus]list{agents: m.v.agents, taskList: m.v.tasks, logs: m.v.logs}[f]
}

// moveBy moves in what has the focus by n rows.
func moveBy(n int) action {
	return func(m *Model) cmd {
		if p := m.page(); p != nil {
			p.ScrollBy(n)
			return nil
		}
		if l := m.list(m.focus); l != nil {
			l.MoveBy(n)
			return nil
		}
		return m.scrollShip(-n)
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
		if l := m.list(m.focus); l != nil {
			l.PageBy(n)
			return nil
		}
		return m.scrollShip(-n * max(1, m.layout()[ship].H/2))
	}
}

// top goes to the first row.
func (m *Model) top() cmd {
	if p := m.page(); p != nil {
		p.Top()
		return nil
	}
	if l := m.list(m.focus); l != nil {
		l.Top()
		return nil
	}
	return m.scrollShip(1 << 20)
}

// bottom goes to the last row.
func (m *Model) bottom() cmd {
	if p := m.page(); p != nil {
		p.Bottom()
		return nil
	}
	if l := m.list(m.focus); l != nil {
		l.Bottom()
		return nil
	}
	m.v.views.PaneOf(m.shipName()).Bottom()
	return nil
}

// hit goes to the next match.
func hit(n int) action {
	return func(m *Model) cmd {
		if l := m.list(m.focus); l != nil {
			l.NextHit(n)
		}
		return nil
	}
}

// sideways moves what is wider than its pane.
func sideways(n int) action {
	return func(m *Model) cmd {
		if l := m.list(m.focus); l != nil {
			l.MoveAcross(n)
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
	fetch := m.v.views.PaneOf(name).ScrollBy(n)
	if fetch == nil {
		return nil
	}
	ctx := m.ctx
	return func() tea.Msg {
		err := fetch(ctx)
		return result(func(m *Model) cmd {
			if err != nil {
				return m.say(toast.Bad, "history of "+name+": "+err.Error())
			}
			return nil
		})
	}
}
