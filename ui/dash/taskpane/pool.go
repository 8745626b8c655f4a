package taskpane

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// group is a group in the list of a pool's dispatches.
type group uint8

// The groups, in the order of the list.
const (
	queue group = iota
	running
	history
	groups = 3
)

// headings name the groups, and explain an empty group.
var headings = [groups][2]string{{"Queue", "nothing waits"}, {"Running", "no worker is at work"}, {"History", "nothing is done yet"}}

// noun returns the word for one of the tasks.
func (p *Pane) noun() string {
	if p.IsPool() {
		return "command"
	}
	return "task"
}

// groupOf returns the group of a pool's task.
func (p *Pane) groupOf(i int32) group {
	switch s := p.Standings[i]; {
	case s == fleet.TaskWorking:
		return running
	case s.IsOver(), s == fleet.TaskOnHold && p.All[i].HeldBy != fleet.Captain:
		return history
	}
	return queue
}

// arrangePool lists the queue first, then what runs, by worker, then the history, newest first.
func (p *Pane) arrangePool(show func(int32) bool) {
	p.rows = p.rows[:0]
	for i := range p.All {
		if show(int32(i)) {
			p.rows = append(p.rows, int32(i))
		}
	}
	slices.SortStableFunc(p.rows, func(a, b int32) int {
		x, y := &p.All[a], &p.All[b]
		if c := cmp.Compare(p.groupOf(a), p.groupOf(b)); c != 0 {
			return c
		}
		switch p.groupOf(a) {
		case history:
			return cmp.Or(ended(y).Compare(ended(x)), tasks.CompareIDs(y.ID, x.ID))
		case running:
			return cmp.Or(compareShips(x.Owner, y.Owner), tasks.CompareIDs(x.ID, y.ID))
		}
		return tasks.CompareIDs(x.ID, y.ID)
	})
}

// ended returns when a dispatch completed or failed.
func ended(t *tasks.State) time.Time {
	if t.Status == tasks.Completed {
		return t.CompletedAt
	}
	return t.RequeuedAt
}

// poolLines returns the lines of the list: indices in rows, and negative numbers for the headings of groups.
func (p *Pane) poolLines() (lines []int) {
	at := 0
	for g := range group(groups) {
		from := at
		for at < len(p.rows) && p.groupOf(p.rows[at]) == g {
			at++
		}
		if at == from && p.filter.on() {
			continue // the filter may hide its rows
		}
		lines = append(lines, -1-int(g))
		for n := from; n < at; n++ {
			lines = append(lines, n)
		}
	}
	return lines
}

// viewPool draws the groups as far as they fit.
func (p *Pane) viewPool(width, height int) []string {
	lines, w := p.poolLines(), &p.window
	if w.loose {
		w.first = max(0, min(w.first, len(lines)-height))
	} else if at := slices.Index(lines, p.cursor); at >= 0 {
		w.first = pane.Scroll(w.first, max(0, at-1), len(lines), height) // keep a group's heading in sight above its first row
		w.first = pane.Scroll(w.first, at, len(lines), height)
	}
	c := p.poolColumns(width)
	var out []string
	for _, at := range lines[min(w.first, len(lines)):min(len(lines), w.first+height)] {
		if at < 0 {
			out = append(out, p.heading(group(-1-at), width))
			continue
		}
		row := p.dispatchRow(p.rows[at], c)
		if at == p.cursor {
			row = p.pens.selected.Render(pane.Fit(ansi.Strip(row), width))
		}
		out = append(out, row)
	}
	return out
}

// heading is the row above a group.
func (p *Pane) heading(g group, width int) string {
	n := 0
	for _, i := range p.rows {
		if p.groupOf(i) == g {
			n++
		}
	}
	note := fmt.Sprint(n)
	if n == 0 {
		note = "○ " + headings[g][1]
	}
	return " " + theme.Title.Render(headings[g][0]) + "  " + p.pens.dim.Render(words.FitWidth(note, max(1, width-11)))
}
