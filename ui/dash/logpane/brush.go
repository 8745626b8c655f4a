package logpane

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/logs"
)

// ink says how a text is painted: its role, and for names and words the ship or the kind of line.
type ink struct {
	role     role
	of       string // a ship, or a kind of lines
	selected bool
}

type role uint8

const (
	blank role = iota
	dim
	accent
	name  // name of a ship
	words // words of a kind of lines
)

// pens maps inks to the sequences before and after a text. Making these takes most of the time of drawing, so they
// are made once for each frame.
type pens map[ink][2]string

func (p pens) styleOf(i ink, ground lipgloss.Style) [2]string {
	pen, ok := p[i]
	if ok {
		return pen
	}
	style := lipgloss.NewStyle()
	switch i.role {
	case dim:
		style = theme.Dim
	case accent:
		style = theme.Accent
	case name:
		style = theme.ShipStyle(i.of)
	case words:
		style = logs.StyleOf(i.of)
	}
	pen[0], pen[1], _ = strings.Cut(style.Inherit(ground).Render("x"), "x")
	p[i] = pen
	return pen
}

// brush paints the texts of one row, all on the same background.
type brush struct {
	pens     pens
	ground   lipgloss.Style
	selected bool
	faint    bool // the whole row is less important
	out      strings.Builder
}

func (b *brush) paintText(i ink, text string) {
	if text == "" {
		return
	}
	if b.faint && i.role != blank {
		i = ink{role: dim}
	}
	i.selected = b.selected
	pen := b.pens.styleOf(i, b.ground)
	b.out.WriteString(pen[0])
	b.out.WriteString(text)
	b.out.WriteString(pen[1])
}

func (b *brush) addSpaces(n int) { b.paintText(ink{role: blank}, strings.Repeat(" ", max(0, n))) }

// marked paints a part of a text and highlights the hits in it.
func (b *brush) marked(i ink, text string, from, to int, hits [][]int) {
	for _, h := range hits {
		begin, end := max(from, h[0]), min(to, h[1])
		if begin >= end {
			continue
		}
		b.paintText(i, text[from:begin])
		b.out.WriteString(theme.Hit.Underline(b.selected).Render(text[begin:end])) // the highlight and the selection may both be reverse video
		from = end
	}
	b.paintText(i, text[from:to])
}

// fillTo returns the painted text in exactly width cells.
func (b *brush) fillTo(width int) string {
	w := ansi.StringWidth(b.out.String())
	if w > width {
		return pane.Fit(b.out.String(), width)
	}
	b.addSpaces(width - w)
	return b.out.String()
}
