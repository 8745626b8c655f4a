package taskpane

import (
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/taskgraph"
)

// viewGraph draws the part of the graph in the window, below the titles of its columns.
func (p *Pane) viewGraph(width, height int) []string {
	g, w := p.graph, &p.window
	if height < 2 {
		return nil
	}
	w.top++
	w.rows--
	p.frameSelected(width, height-1)
	first := max(0, sort.SearchInts(g.Left, w.left+1)-1)
	last := sort.SearchInts(g.Left, w.left+width)
	show := p.filter.shown(p)
	titles := strip{from: w.left - g.Left[first], to: w.left - g.Left[first] + width}
	for c := first; c < last; c++ {
		titles.add(pane.Fit(" "+g.Titles[c], g.Wide), g.Wide)
		titles.add(strings.Repeat(" ", g.Gap(c)), g.Gap(c))
	}
	rows := []string{theme.Dim.Render(titles.String())}
	blank := strings.Repeat(" ", g.Wide)
	for y := w.up; y < w.up+height-1; y++ {
		row := strip{from: titles.from, to: titles.to}
		for c := first; c < last; c++ {
			if i := g.Box(c, int32(y/taskgraph.BoxHeight)); i >= 0 {
				row.add(p.box(i, y%taskgraph.BoxHeight, show(i)), g.Wide)
			} else {
				row.add(blank, g.Wide)
			}
			row.add(g.Channel(p.pens.track, p.pens.accent, c, y), g.Gap(c))
		}
		rows = append(rows, row.String())
	}
	return rows
}

// strip is a row of cells between two columns of a picture.
type strip struct {
	strings.Builder
	from, to int
	at       int
}

// add appends text of this width.
func (s *strip) add(text string, width int) {
	lo, hi := max(0, s.from-s.at), min(width, s.to-s.at)
	s.at += width
	switch {
	case lo >= hi:
	case lo == 0 && hi == width:
		s.WriteString(text)
	default:
		s.WriteString(ansi.Cut(text, lo, hi))
	}
}

// frameSelected moves the window as little as necessary to show the selected box.
func (p *Pane) frameSelected(width, height int) {
	g, w := p.graph, &p.window
	if !w.loose && p.selected >= 0 {
		x, y := g.Corner(p.selected)
		if least := x + g.Wide - width; w.left < least {
			w.left = min(x, g.Left[min(sort.SearchInts(g.Left, least), len(g.Left)-1)]) // so that the window begins at a column's edge
		}
		w.left = min(w.left, x)
		w.up = min(max(w.up, y+taskgraph.BoxHeight-height), y)
	}
	w.left = max(0, min(w.left, g.Left[len(g.Left)-1]))
	w.up = max(0, min(w.up, g.Height-height))
}
