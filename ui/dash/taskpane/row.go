package taskpane

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/words"
)

// columns holds the widths of the parts of a row; a part that does not fit has 0.
type columns struct {
	id, subject, word, owner, age int
}

// The widths of parts.
const (
	widestID    = 12
	widestOwner = 14
	wordWidth   = 11 // "in progress"
	ageWidth    = 6  // "23h59m"
)

// columns divides the width among the parts of the shown rows.
func (p *Pane) columns(width int, rows []int32) columns {
	c := columns{id: 1, word: wordWidth, age: ageWidth}
	for _, i := range rows {
		c.id = max(c.id, min(pane.Width(pane.Line(p.All[i].ID)), widestID))
	}
	for i := range p.Board.Ships {
		c.owner = max(c.owner, min(pane.Width(pane.Line(p.Board.Ships[i].Name)), widestOwner))
	}
	for _, i := range rows {
		who, _ := p.hand(i)
		c.owner = max(c.owner, min(pane.Width(who), widestOwner))
	}
	fixed := func() int {
		n := 3 + c.id + 2 + 1 // glyph, id, gap, and the edge
		for _, w := range []int{c.word, c.owner, c.age} {
			if w > 0 {
				n += w + 2
			}
		}
		return n
	}
	least := 20 // least width of a subject
	switch {
	case p.mode == Tree && p.Board.Voyage.Kind.TakesEpics(): // branches are short
		least = 24
	case p.mode == Tree:
		least = 36 // shared with the branches
	}
	for _, part := range []*int{&c.age, &c.owner, &c.word} {
		if width-fixed() < least {
			*part = 0
		}
	}
	c.subject = max(1, width-fixed())
	return c
}

// row draws a task. In the tree, branch is before the task's glyph.
func (p *Pane) row(i int32, c columns, branch string) string {
	t := &p.All[i]
	s := p.Standings[i]
	state := theme.Task(s)
	text := p.pens.plain
	if s.IsOver() {
		text = p.pens.dim
	}
	var b strings.Builder
	b.WriteString(" ")
	used := 0
	if branch != "" {
		b.WriteString(p.pens.track.Render(branch))
		used = pane.Width(branch)
	}
	b.WriteString(p.pens.standing[s].Render(state.Glyph) + " ")
	b.WriteString(p.pens.dim.Render(pane.Fit(pane.Line(t.ID), c.id)) + "  ")
	b.WriteString(p.name(i, t, max(1, c.subject-used), text, c))
	p.tail(&b, i, c)
	return b.String()
}

// name returns the subject of a task and, if it fits, why it is on hold, that it steers agents or, in the tree, what
// else it waits for.
func (p *Pane) name(i int32, t *tasks.State, width int, text pen, c columns) string {
	notes, style := p.notes(i)
	root := p.Root(t.ID)
	with, isBack := fleet.IsBack(t)
	switch {
	case p.Standings[i] == fleet.TaskOnHold:
		return p.heldName(i, width, text, c)
	case isBack:
		notes, style = []string{standing.BackAt(with), "back"}, p.pens.dim
	case root != "" && c.owner+c.age == 0: // the right part does not show the root
		notes, style = []string{"waits for " + root + ", on hold", "for " + root + ", on hold", root + " is on hold"}, p.pens.dim
	}
	if s := p.Board.SteeringOf(t.ID); s != nil {
		notes, style = p.steering(s)
	}
	name := standing.Subject(t)
	return noted(name, labelled(notes, t, width-pane.Width(name)), width, text, style)
}

// labelled adds the task's labels to the first note if there is room, without cutting a name short.
func labelled(notes []string, t *tasks.State, room int) []string {
	head := ""
	if len(notes) > 0 {
		head = notes[0]
	}
	for _, l := range t.Labels() {
		head = strings.TrimSpace(head + " #" + words.FitWidth(pane.Line(l), widestID))
	}
	if len(t.Labels()) == 0 || pane.Width(head)+2 > room {
		return notes
	}
	return append([]string{head}, notes...)
}

// steering returns notes that work changes files which steer agents.
func (p *Pane) steering(s *fleet.Steering) ([]string, pen) {
	if s.Word == fleet.Waits {
		return []string{"waits for you: steers agents", "waits for you", "waits"}, p.pens.needs
	}
	return []string{"steers agents", "steers"}, p.pens.plain
}

// noted returns a name and the longest note that fits.
func noted(name string, notes []string, width int, text, style pen) string {
	room := min(pane.Width(name), max(1, width*3/5))
	for _, note := range notes {
		if free := width - 2 - pane.Width(note); free >= room {
			room = min(pane.Width(name), free)
			return text.Render(pane.Fit(name, room)) + style.Render(pane.Fit("  "+note, width-room))
		}
	}
	return text.Render(pane.Fit(name, width))
}

// heldName returns the subject of a task on hold with the reason.
func (p *Pane) heldName(i int32, width int, text pen, c columns) string {
	t := &p.All[i]
	why := standing.Brief(t.Reason)
	if t.Proposed > 0 {
		why = "waits for you"
	}
	if c.word == 0 {
		why = strings.TrimSuffix(p.Look(i).Word+": "+why, ": ")
	}
	name := standing.Subject(t)
	room := min(pane.Width(name), max(1, width-2-pane.Width(why)), max(1, width*3/5))
	room = max(room, min(pane.Width(name), width*2/5))
	return text.Render(pane.Fit(name, room)) + p.pens.needs.Render(pane.Fit("  "+why, width-room))
}

// notes says what else a task waits for besides its parent in the tree, in ever shorter forms.
func (p *Pane) notes(i int32) ([]string, pen) {
	if p.mode != Tree {
		return nil, p.pens.dim
	}
	if p.Order.Level[i] == 0 {
		return []string{"never ready", "never"}, p.pens.bad
	}
	under := p.tree.parent[i]
	var ids []string
	others := 0
	for _, j := range p.Order.Before[i] {
		if j == under {
			continue
		}
		if others++; others <= 4 {
			ids = append(ids, words.FitWidth(pane.Line(p.All[j].ID), 16))
		}
	}
	if others == 0 {
		return nil, p.pens.dim
	}
	list := strings.Join(ids, ", ")
	if others > len(ids) {
		list += fmt.Sprintf(" +%d", others-len(ids))
	}
	if under < 0 {
		return []string{"after " + list}, p.pens.dim
	}
	return []string{"also after " + list, "also " + list, fmt.Sprintf("+%d", others)}, p.pens.dim
}

// tail writes the right part of a row: the state in words, the owner and the age.
func (p *Pane) tail(b *strings.Builder, i int32, c columns) {
	s := p.Standings[i]
	state := theme.Task(s)
	rest := 0
	for _, w := range []int{c.owner, c.age} {
		if w > 0 {
			rest += w + 2
		}
	}
	if c.word > 0 {
		b.WriteString("  " + p.pens.standing[s].Render(pane.Fit(state.Word, c.word)))
	}
	if s == fleet.TaskOnHold {
		b.WriteString(strings.Repeat(" ", rest)) // the reason is beside the subject
		return
	}
	if s == fleet.TaskBlocked || s == fleet.TaskDelayed || s == fleet.TaskReady {
		if rest > 0 {
			b.WriteString("  " + p.pens.dim.Render(pane.Fit(p.waits(i), rest-2)))
		}
		return
	}
	owner, at := p.hand(i)
	if c.owner > 0 {
		b.WriteString("  " + p.pens.ship(owner).Render(pane.Fit(owner, c.owner)))
	}
	if c.age > 0 {
		age := standing.Since("", p.Now, at)
		b.WriteString("  " + p.pens.dim.Render(strings.Repeat(" ", max(0, c.age-len(age)))+words.FitWidth(age, c.age)))
	}
}

// hand returns who holds a task, or did it, or where it is in review, and since when.
func (p *Pane) hand(i int32) (string, time.Time) {
	t := &p.All[i]
	switch step := fleet.StepOf(t); {
	case p.Standings[i].IsOver():
		return pane.Line(t.Owner), t.CompletedAt
	case step == fleet.StepMerging:
		return string(step), t.HandIn.Review.At
	case step == fleet.StepWaits:
		return string(step), t.HandIn.At
	}
	return pane.Line(t.Owner), t.ClaimedAt
}

// waits says in few words what a pending task waits for.
func (p *Pane) waits(i int32) string {
	t := &p.All[i]
	switch {
	case p.Standings[i] == fleet.TaskOnHold:
		return standing.Brief(t.Reason)
	case p.Standings[i] == fleet.TaskDelayed:
		return "until " + standing.Clock(p.Now, t.NotBefore)
	case p.Standings[i] == fleet.TaskBlocked:
		if root := p.Root(t.ID); root != "" {
			return "for " + root + ", on hold"
		}
		return "after " + p.After(i, 4)
	case t.ReservedFor != "":
		return "for " + pane.Line(t.ReservedFor)
	}
	return ""
}
