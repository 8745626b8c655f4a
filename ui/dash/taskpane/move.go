package taskpane

import (
	"slices"

	"ocaptain/tasks"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskgraph"
)

// find puts the cursor on the selected task, or leaves it in place when that task is not shown.
// Until the captain selects a task, the cursor stays on the first of the list, where the work is.
func (p *Pane) find() {
	if len(p.rows) == 0 {
		p.cursor = 0
		return
	}
	if p.mode == List && !p.chosen {
		p.put(0)
		return
	}
	if at := slices.Index(p.rows, p.selected); at >= 0 {
		p.cursor = at
		return
	}
	p.put(p.cursor)
}

// put selects the task in this row, or in the nearest row.
func (p *Pane) put(row int) {
	if len(p.rows) == 0 {
		return
	}
	p.cursor = max(0, min(row, len(p.rows)-1))
	p.selected = p.rows[p.cursor]
}

// MoveBy moves the cursor down n rows, or up.
func (p *Pane) MoveBy(n int) {
	p.window.loose = false
	if p.why != nil {
		p.why.scroll(n)
		return
	}
	p.chosen = true
	p.put(p.cursor + n)
}

// PageBy moves the cursor down n pages, or up.
func (p *Pane) PageBy(n int) {
	page := p.window.rows
	if p.mode == Graph {
		page /= taskgraph.BoxHeight
	}
	p.MoveBy(n * max(1, page-1))
}

// MoveAcross moves n levels across in the graph. In the tree it goes to what the task waits for, or
// to the first task that waits for it.
func (p *Pane) MoveAcross(n int) {
	p.window.loose = false
	switch {
	case p.why != nil || len(p.rows) == 0 || p.selected < 0 || n == 0:
	case p.mode == Graph:
		p.Select(p.All[p.graph.Across(p.selected, n, p.filter.shown(p))].ID)
	case p.mode == Tree && n < 0:
		if up := p.tree.parent[p.selected]; up >= 0 {
			p.put(slices.Index(p.rows, up))
		}
	case p.mode == Tree:
		if next := p.cursor + 1; next < len(p.rows) && p.tree.parent[p.rows[next]] == p.selected {
			p.put(next)
		}
	}
}

// farther is more rows than the answer to why a task waits can have.
const farther = 20 * standing.MaxWhy

// Top goes to the first task.
func (p *Pane) Top() { p.MoveBy(-farther - len(p.All)) }

// Bottom goes to the last task.
func (p *Pane) Bottom() { p.MoveBy(farther + len(p.All)) }

// Select puts the cursor on a task and reports whether it is shown.
func (p *Pane) Select(id string) bool {
	i, ok := p.Place(id)
	if !ok {
		return false
	}
	at := slices.Index(p.rows, i)
	if at < 0 {
		return false
	}
	p.chosen = true
	p.window.loose = false
	p.put(at)
	return true
}

// Selected returns the task under the cursor, nil for none. The caller must not change it.
func (p *Pane) Selected() *tasks.State {
	if len(p.rows) == 0 || p.selected < 0 {
		return nil
	}
	return &p.All[p.selected]
}

func (p *Pane) selectedID() string {
	if p.selected < 0 || int(p.selected) >= len(p.All) {
		return ""
	}
	return p.All[p.selected].ID
}

// Wheel scrolls n rows down, or up, and leaves the cursor on its task.
func (p *Pane) Wheel(n int) {
	if p.why != nil {
		p.why.scroll(n)
		return
	}
	p.window.loose = true
	if p.mode == Graph {
		p.window.up += n
	} else {
		p.window.first += n
	}
}

// ScrollAcross scrolls the graph n cells to the right, or left.
func (p *Pane) ScrollAcross(n int) {
	if p.mode == Graph && p.why == nil {
		p.window.loose = true
		p.window.left += n
	}
}

// Click selects the task at this place of the body.
func (p *Pane) Click(x, y int) {
	w := p.window
	switch {
	case p.why != nil || p.Board == nil:
	case y >= w.height-len(w.below) && y < w.height:
		if i := w.below[y-w.height+len(w.below)]; i >= 0 {
			p.Select(p.All[i].ID)
		}
	case y < w.top || y >= w.top+w.rows:
	case p.mode == Graph:
		if i := p.graph.At(w.left+x, w.up+y-w.top); i >= 0 {
			if at := slices.Index(p.rows, i); at >= 0 {
				p.chosen = true
				p.put(at)
			}
		}
	case p.IsPool():
		if lines, at := p.poolLines(), w.first+y-w.top; at < len(lines) && lines[at] >= 0 {
			p.chosen = true
			p.put(lines[at])
		}
	default:
		if at := w.first + y - w.top; at < len(p.rows) {
			p.chosen = true
			p.put(at)
		}
	}
}
