package logpane

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Title returns the name of the pane.
func (p *Pane) Title() string { return p.Name() }

// Name returns what the pane lists.
func (p *Pane) Name() string { return "Logs" }

// View draws the pane in exactly height rows of exactly width cells.
func (p *Pane) View(width, height int) []string {
	if width != p.width || height != p.height {
		p.width, p.height = width, height
		p.reveal = !p.follow
	}
	p.names = p.widest()
	p.layout()
	if len(p.rows) == 0 {
		return pane.FitRows(p.message(), width, height)
	}
	out := make([]string, height)
	pens := pens{}
	for i := range out {
		if i < len(p.rows) {
			out[i] = p.drawRow(p.rows[i], pens)
		} else {
			out[i] = strings.Repeat(" ", width)
		}
	}
	return out
}

// widest returns the width of the widest name of a ship, within a limit.
func (p *Pane) widest() int {
	files := p.book.Files()
	w := 0
	for _, f := range files {
		w = max(w, min(len("[]")+len(f.Ship), 20))
	}
	return w
}

// drawRow draws a row in the width of the pane.
func (p *Pane) drawRow(r row, pens pens) string {
	if r.of == nothing {
		return p.drawMark(r.mark)
	}
	b := brush{pens: pens, faint: r.of == beside, selected: !p.follow && r.item == p.cursor && r.of == itself}
	if b.selected {
		b.ground = theme.SelectedElse
		if p.focused {
			b.ground = theme.Selected
		}
	}
	e := p.words.entryOf(r.seq)
	if e == nil {
		b.paintText(ink{role: dim}, "…")
		return b.fillTo(p.width)
	}
	text, body := e.lineText(r.line)
	var hits [][]int
	if p.grep != nil && r.of == itself {
		hits = e.matches(p.grep)[r.line]
	}
	if p.gutter() > 0 {
		sign := "  "
		if r.of == itself && r.line == 0 && r.from == body && p.book.Matches().Has(r.seq) {
			sign = "▸ "
		}
		b.paintText(ink{role: accent}, sign)
	}
	if r.line == 0 && r.from == body {
		if p.clock {
			b.paintText(ink{role: dim}, e.line.TimeOfDay()+" ")
		}
		b.marked(ink{role: name, of: e.line.Ship}, text, 0, body-1, hits)
		b.addSpaces(1 + p.nameWidth(e.line) - stringWidth(text[:body-1]))
	} else {
		b.addSpaces(p.indent(e.line))
	}
	from, to := r.from, r.to
	if p.wrap {
		to = from + len(strings.TrimRight(text[from:to], " ")) // a space may extend beyond the row
	} else {
		from, to = window(text, from, p.side, p.width)
	}
	b.marked(ink{role: words, of: e.line.Kind}, text, from, to, hits)
	return b.fillTo(p.width)
}

// drawMark draws a rule with its time.
func (p *Pane) drawMark(m mark) string {
	rule := "── " + m.at.Local().Format("15:04:05") + " "
	return theme.Accent.Render(pane.Fit(rule+strings.Repeat("─", max(0, p.width-stringWidth(rule))), p.width))
}

func stringWidth(s string) int { return ansi.StringWidth(s) }
