package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/selection"
	"ocaptain/ui/dash/toast"
)

// noFiles says why there is no file to go to.
func (m *Model) noFiles() string {
	if p, ok := m.page.(screen.Filed); ok && p.CountFiles() > 0 {
		return ""
	}
	return "there are no files here"
}

// fileBy moves n files down on the page.
func fileBy(n int) action {
	return func(m *Model) cmd {
		m.page.(screen.Filed).NextFile(n)
		return nil
	}
}

// list returns a pane as a list, nil for the live view.
func (m *Model) list(f screen.Pane) screen.List {
	return map[screen.Pane]screen.List{screen.Agents: m.v.Agents, screen.Tasks: m.v.Tasks, screen.Logs: m.v.Logs}[f]
}

// moveBy moves the focused pane or page by n rows.
func moveBy(n int) action {
	return func(m *Model) cmd {
		if p := m.page; p != nil {
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

// pageBy moves by n half pages.
func pageBy(n int) action {
	return func(m *Model) cmd {
		half := n * max(1, (m.height-4)/2)
		if p := m.page; p != nil {
			p.ScrollBy(half)
			return nil
		}
		if l := m.list(m.focus); l != nil {
			l.PageBy(n)
			return nil
		}
		return m.scrollShip(-n * max(1, m.layout().Places()[screen.Ship].H/2))
	}
}

// top goes to the first row.
func (m *Model) top() cmd {
	if p := m.page; p != nil {
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
	if p := m.page; p != nil {
		p.Bottom()
		return nil
	}
	if l := m.list(m.focus); l != nil {
		l.Bottom()
		return nil
	}
	m.v.Views.PaneOf(m.shipName()).Bottom()
	return nil
}

// noFilter says why the focused pane has no filter, "" when it has one.
func (m *Model) noFilter() string {
	if m.v == nil {
		return selection.NoneYet
	}
	if m.list(m.focus) == nil {
		return "the live view has no filter; the logs have one: 3 /"
	}
	return ""
}

// askFilter asks for a pattern for the focused pane.
func (m *Model) askFilter() cmd {
	m.filter = dialog.NewFilter(m.list(m.focus))
	return nil
}

// toFilter sends a key or a paste to the filter that is typed.
func (m *Model) toFilter(msg tea.Msg) cmd {
	closed, c := m.filter.Update(msg)
	if closed {
		m.filter = nil
	}
	return c
}

// clearFilter shows all rows of the focused pane, and reports whether any may have been hidden.
func (m *Model) clearFilter() bool {
	l := m.list(m.focus)
	return l != nil && l.ClearFilters()
}

// hit goes to the n-th next match.
func hit(n int) action {
	return func(m *Model) cmd {
		if l := m.list(m.focus); l != nil {
			l.NextHit(n)
		}
		return nil
	}
}

// sideways scrolls rows that are wider than their pane.
func sideways(n int) action {
	return func(m *Model) cmd {
		if l := m.list(m.focus); l != nil {
			l.MoveAcross(n)
		}
		return nil
	}
}

// scrollShip scrolls the live view back by n rows. The ship's history is fetched when it is first needed.
func (m *Model) scrollShip(n int) cmd {
	name := m.shipName()
	if name == "" {
		return nil
	}
	fetch := m.v.Views.PaneOf(name).ScrollBy(n)
	if fetch == nil {
		return nil
	}
	ctx := m.ctx
	return func() tea.Msg {
		err := fetch(ctx)
		return act.Then(func() cmd {
			if err != nil {
				return m.say(toast.Bad, "history of "+name+": "+err.Error())
			}
			return nil
		})
	}
}
