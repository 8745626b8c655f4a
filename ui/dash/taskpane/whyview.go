package taskpane

import (
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
)

// why is the answer to why a task is not ready, shown instead of the tasks.
type why struct {
	id     string
	causes standing.Causes
	first  int

	rows  []string // as last drawn, nil when outdated
	width int
	theme theme.Name
}

// ShowBlockers shows what keeps a task from being ready, and reports whether the task exists.
func (p *Pane) ShowBlockers(id string) bool {
	if _, ok := p.Place(id); !ok {
		return false
	}
	p.why = &why{id: id}
	p.askWhy()
	return true
}

// HideBlockers shows the tasks again.
func (p *Pane) HideBlockers() { p.why = nil }

// ShowsBlockers reports whether the pane shows blockers.
func (p *Pane) ShowsBlockers() bool { return p.why != nil }

// askWhy updates the shown answer for a new board.
func (p *Pane) askWhy() {
	if p.why == nil {
		return
	}
	if _, ok := p.Place(p.why.id); !ok {
		p.why = nil
		return
	}
	p.why.causes, p.why.rows = p.Causes(p.why.id), nil
}

func (w *why) scroll(n int) { w.first = max(0, w.first+n) }

// view draws the answer.
func (w *why) view(p *Pane, width, height int) []string {
	if now := theme.Active(); w.theme != now {
		w.theme = now
		p.askWhy()
	}
	if w.rows == nil || w.width != width {
		i := p.Order.Place[w.id]
		w.width = width
		w.rows = append([]string{"", p.Headline(i, width), ""}, p.CauseRows(i, w.causes, width)...)
	}
	w.first = max(0, min(w.first, len(w.rows)-height))
	return pane.FitRows(w.rows[w.first:], width, height)
}
