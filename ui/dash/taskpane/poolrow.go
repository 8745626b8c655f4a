package taskpane

import (
	"cmp"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/words"
)

// poolColumns holds the widths of the parts of a row; a part that does not fit has 0.
type poolColumns struct {
	word, id, command, owner, age, lines, branch int
}

// poolColumns divides the width among the parts. The words of states go first, as headings say nearly the
// same, then who and how long.
func (p *Pane) poolColumns(width int) poolColumns {
	c := poolColumns{word: 7, id: 1, owner: 8, age: ageWidth}
	for _, i := range p.rows {
		t := &p.All[i]
		c.id = max(c.id, min(pane.Width(pane.Line(t.ID)), widestID))
		c.owner = max(c.owner, min(pane.Width(pane.Line(cmp.Or(t.Owner, t.ReservedFor))), widestOwner))
		if p.Standings[i] == fleet.TaskDone {
			c.lines = max(c.lines, min(pane.Width(p.lines(t)), 14))
			c.branch = max(c.branch, min(pane.Width(standing.Branch(t)), 40))
		}
	}
	fixed := func() int {
		n := 3 + c.id + 2 + 1 // glyph, number, gap, and the edge
		for _, w := range []int{c.word, c.owner, c.age, c.lines, c.branch} {
			if w > 0 {
				n += w + 2
			}
		}
		return n
	}
	for _, part := range []struct {
		width *int
		least int // least width of a command
	}{{&c.branch, 40}, {&c.lines, 24}, {&c.word, 18}, {&c.age, 10}, {&c.owner, 10}} {
		if width-fixed() < part.least {
			*part.width = 0
		}
	}
	c.command = max(1, width-fixed())
	return c
}

// dispatchRow draws a dispatch.
func (p *Pane) dispatchRow(i int32, c poolColumns) string {
	t, s := &p.All[i], p.Standings[i]
	state, text := p.Look(i), p.pens.plain
	if s.IsOver() {
		text = p.pens.dim
	}
	var b strings.Builder
	b.WriteString(" " + p.pens.standing[s].Render(state.Glyph) + " ")
	if c.word > 0 {
		b.WriteString(p.pens.standing[s].Render(pane.Fit(state.Word, c.word)) + "  ")
	}
	b.WriteString(p.pens.dim.Render(pane.Fit(pane.Line(t.ID), c.id)) + "  ")
	if s == fleet.TaskOnHold {
		b.WriteString(p.heldName(i, c.rest(), text, columns{word: c.word}))
		return b.String()
	}
	b.WriteString(p.commandText(t, c.command, text))
	if c.owner > 0 {
		owner, pen := p.holder(i)
		b.WriteString("  " + pen.Render(pane.Fit(owner, c.owner)))
	}
	if c.age > 0 {
		age := p.lasted(t, s)
		b.WriteString("  " + p.pens.dim.Render(strings.Repeat(" ", max(0, c.age-len(age)))+words.FitWidth(age, c.age)))
	}
	if c.lines > 0 {
		b.WriteString("  " + p.pens.dim.Render(pane.Fit(p.lines(t), c.lines)))
	}
	if c.branch > 0 && s == fleet.TaskDone {
		b.WriteString("  " + p.pens.dim.Render(pane.Fit(standing.Branch(t), c.branch)))
	}
	return b.String()
}

// rest returns the width of a command with all parts after it.
func (c poolColumns) rest() int {
	n := c.command
	for _, w := range []int{c.owner, c.age, c.lines, c.branch} {
		if w > 0 {
			n += w + 2
		}
	}
	return n
}

// commandText returns the first line of a command and, if it fits, that the work steers agents or which worker it waits for.
func (p *Pane) commandText(t *tasks.State, width int, text pen) string {
	var notes []string
	style := p.pens.dim
	if want := t.Worker(); want != "" && t.Status == tasks.Pending && t.ReservedFor == "" {
		notes = []string{"for " + words.FitWidth(pane.Line(want), widestOwner)}
	}
	if s := p.Board.SteeringOf(t.ID); s != nil {
		notes, style = p.steering(s)
	}
	return noted(standing.Subject(t), notes, width, text, style)
}

// holder says who has a dispatch, or its place in the queue.
func (p *Pane) holder(i int32) (string, pen) {
	t := &p.All[i]
	if n := p.Places[i]; n > 0 {
		return fmt.Sprint("place ", n), p.pens.dim
	}
	owner := pane.Line(cmp.Or(t.Owner, t.ReservedFor))
	return owner, p.pens.ship(owner)
}

// lasted says how long a dispatch has waited or run, or how long it took.
func (p *Pane) lasted(t *tasks.State, s fleet.Standing) string {
	switch s {
	case fleet.TaskWorking:
		return standing.Since("", p.Now, t.ClaimedAt)
	case fleet.TaskDone:
		return standing.Since("", t.CompletedAt, t.ClaimedAt)
	}
	return standing.Since("", p.Now, t.Dispatch().At)
}

// lines says how many lines a dispatch changed, "" when unknown.
func (p *Pane) lines(t *tasks.State) string {
	size := p.sizes[t.Commit]
	switch {
	case size == nil:
		return ""
	case *size == changes.Size{}:
		return "nothing"
	}
	return fmt.Sprintf("+%d −%d", size.Added, size.Removed)
}
