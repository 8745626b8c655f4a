package taskpane

import (
	"cmp"
	"strings"

	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/dash/taskgraph"
	"ocaptain/ui/words"
)

// frame holds the characters of a box: corners, lines, and the right side where a line goes out.
type frame struct {
	corners    [4]string
	flat, side string
	out, heavy string
}

var (
	thin  = frame{[4]string{"╭", "╮", "╰", "╯"}, "─", "│", "├", "┝"}
	thick = frame{[4]string{"┏", "┓", "┗", "┛"}, "━", "┃", "┠", "┣"}
)

// box draws a row of a task's box.
func (p *Pane) box(i int32, row int, shown bool) string {
	g := p.graph
	f, edge := thin, p.pens.border
	if g.Critical[i] {
		f, edge = thick, p.pens.accent
	}
	if i == p.selected && !p.unfocus {
		edge = p.pens.focused
	}
	if !shown {
		edge = p.pens.track
	}
	inner := g.Wide - 2
	switch row {
	case 0:
		return edge.Render(f.corners[0] + strings.Repeat(f.flat, inner) + f.corners[1])
	case taskgraph.BoxHeight - 1:
		return p.bottom(i, f, edge, inner)
	}
	right := f.side
	if row == 2 {
		if line, heavy := g.Leaves(i); line {
			right = f.out
			if heavy {
				right = f.heavy
			}
		}
	}
	text := pane.Fit(p.boxText(i, row, inner), inner)
	switch {
	case i == p.selected:
		text = p.pens.selected.Render(ansi.Strip(text))
	case !shown:
		text = p.pens.dim.Render(ansi.Strip(text))
	}
	return edge.Render(f.side) + text + edge.Render(right)
}

// boxText returns the text of a box's two rows.
func (p *Pane) boxText(i int32, row, width int) string {
	t := &p.All[i]
	s := p.Standings[i]
	state := theme.Task(s)
	if row == 1 {
		id := words.FitWidth(pane.Line(t.ID), widestID)
		return " " + p.pens.standing[s].Render(state.Glyph) + " " + p.pens.dim.Render(id) + " " + standing.Subject(t)
	}
	text := "   " + p.pens.standing[s].Render(state.Word)
	with, back := fleet.IsBack(t)
	switch s {
	case fleet.TaskBlocked, fleet.TaskDelayed, fleet.TaskReady, fleet.TaskOnHold:
		if root := p.Root(t.ID); s == fleet.TaskBlocked && root != "" {
			return "   " + p.pens.dim.Render(root+" is on hold")
		}
		waits := p.waits(i)
		if s == fleet.TaskReady && back {
			waits = standing.BackAt(with)
		}
		text += p.pens.dim.Render(" " + waits)
	default:
		owner, at := p.hand(i)
		if back { // no room for more blockers
			text, owner = "   "+p.pens.standing[s].Render("back at"), cmp.Or(with, owner)
		}
		owner = words.FitWidth(owner, widestOwner)
		age := standing.Since("", p.Now, at)
		if room := width - pane.Width(text) - pane.Width(owner) - 1; pane.Width(age)+1 > room {
			age = ""
		}
		text += " " + p.pens.ship(owner).Render(owner) + p.pens.dim.Render(" "+age)
	}
	return text
}

// bottom returns the lower edge of a box, with the blockers that have no line.
func (p *Pane) bottom(i int32, f frame, edge pen, inner int) string {
	list := p.graph.Also[i]
	if len(list) == 0 {
		return edge.Render(f.corners[2] + strings.Repeat(f.flat, inner) + f.corners[3])
	}
	var ids []string
	for n, j := range list {
		if n == 6 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, pane.Line(p.All[j].ID))
	}
	word := "also after "
	if p.graph.IsFirst(i) || p.Order.Level[i] == 0 {
		word = "after "
	}
	text := words.FitWidth(word+strings.Join(ids, ", "), inner-4)
	rest := inner - 3 - pane.Width(text)
	return edge.Render(f.corners[2]+f.flat) + p.pens.dim.Render(" "+text+" ") + edge.Render(strings.Repeat(f.flat, rest)+f.corners[3])
}
