package taskpane

import (
	"fmt"
	"strings"

	"ocaptain/ui/dash/pane"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/words"
)

// View draws the pane's body as exactly height rows of exactly width cells.
func (p *Pane) View(width, height int) []string {
	p.window.width, p.window.height = width, height
	p.window.rows, p.window.below = 0, nil
	if width <= 0 || height <= 0 {
		return pane.FitRows(nil, width, height)
	}
	switch {
	case p.Board == nil:
		return pane.Notice(width, height, theme.Going.Style.Render("◌ reading the voyage"), "", "")
	case p.why != nil:
		return p.why.view(p, width, height)
	}
	p.pens = newPens(p.unfocus)
	top := p.top(width, height)
	switch {
	case len(p.All) == 0 && p.IsPool():
		return pane.FitRows(append(top, pane.Notice(width, height-len(top), "○ nothing was dispatched yet", "", "p gives a worker something to do")...), width, height)
	case len(p.All) == 0 && p.Board.Voyage.Kind.TakesEpics():
		return pane.FitRows(append(top, pane.Notice(width, height-len(top), "○ nothing was asked for yet", "", "n asks for something")...), width, height)
	case len(p.All) == 0:
		return pane.FitRows(append(top, pane.Notice(width, height-len(top), "○ no tasks yet", "", "n adds one")...), width, height)
	}
	foot := p.foot(width, height-len(top))
	room := max(0, height-len(top)-len(foot))
	p.window.top, p.window.rows = len(top), room
	var body []string
	switch {
	case len(p.rows) == 0 && p.filter.on():
		body = pane.Notice(width, room, fmt.Sprintf("▽ none of %s shown: %s", words.Counted(len(p.All), p.noun()), p.filter.words()), "", p.filter.undo())
	case p.IsPool():
		body = p.viewPool(width, room)
	case p.mode == Graph:
		p.graph.Fit(width)
		body = p.viewGraph(width, room)
	default:
		body = p.viewRows(width, room)
	}
	for len(body) < room {
		body = append(body, "")
	}
	return pane.FitRows(append(append(top, body[:room]...), foot...), width, height)
}

// undo says how to see all tasks again.
func (f *filter) undo() string {
	var acts []string
	if f.grepping() {
		acts = append(acts, "clear the filter")
	}
	if f.ready {
		acts = append(acts, "turn ready only off")
	}
	if f.unDone {
		acts = append(acts, "show completed tasks")
	}
	return strings.Join(acts, ", ") + " to see them"
}

// top returns the rows above the tasks: the progress, and a warning about stale news.
func (p *Pane) top(width, height int) []string {
	var rows []string
	if len(p.All) > 0 && height >= 4 && !p.IsPool() { // a pool may always get more tasks
		rows = append(rows, p.progress(width))
	}
	if age := p.stale(); age > 0 {
		text := "! known " + words.Age(age) + " ago and nothing new since; see: ocaptain helm status"
		rows = append(rows, " "+theme.Bad.Render(words.FitWidth(text, width-2)))
	}
	return rows
}

// viewRows draws as many rows of the list or tree as fit.
func (p *Pane) viewRows(width, height int) []string {
	w := &p.window
	if w.loose {
		w.first = max(0, min(w.first, len(p.rows)-height))
	} else {
		w.first = pane.Scroll(w.first, p.cursor, len(p.rows), height)
	}
	end := min(len(p.rows), w.first+height)
	shown := p.rows[w.first:end]
	c := p.columns(width, shown)
	out := make([]string, 0, height)
	for n, i := range shown {
		branch := ""
		if p.mode == Tree {
			branch = p.tree.branch(i, c.subject/2)
		}
		row := p.row(i, c, branch)
		if w.first+n == p.cursor {
			row = p.pens.selected.Render(pane.Fit(ansi.Strip(row), width))
		}
		out = append(out, row)
	}
	return out
}
