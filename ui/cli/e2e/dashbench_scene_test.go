package e2e

import (
	"strings"

	"ocaptain/ui/term"
)

// box is a pane on the screen, without its border.
type box struct{ x, y, w, h int }

// boxOf finds the pane whose title begins with a text. The box has no height when there is no such pane.
func boxOf(s *term.Screen, title string) box {
	cols, rows := s.Size()
	for y := range rows {
		at := strings.Index(across(s, y, 0, cols), "─ "+title)
		if at < 0 {
			continue
		}
		x := len([]rune(across(s, y, 0, cols)[:at]))
		b := box{x: x, y: y + 1}
		for b.x+b.w < cols && s.CellAt(b.x+b.w, y).Text != "╮" {
			b.w++
		}
		for b.y+b.h < rows && s.CellAt(b.x-1, b.y+b.h).Text != "╰" {
			b.h++
		}
		return b
	}
	return box{}
}

// across returns the text of a part of a row.
func across(s *term.Screen, y, from, to int) string {
	var b strings.Builder
	for x := from; x < to; x++ {
		c := s.CellAt(x, y)
		if c.Width > 0 && c.Text == "" {
			c.Text = " "
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// shown returns a scene of all these texts.
func shown(texts ...string) scene {
	return func(s *term.Screen) bool { return has(texts...)(view{text: plain(s)}) }
}

// isRowLit reports whether most of a row of a pane is highlighted.
func isRowLit(s *term.Screen, b box, row int) bool {
	n := 0
	for x := b.x; x < b.x+b.w; x++ {
		if isLit(s.CellAt(x, b.y+row)) {
			n++
		}
	}
	return n > b.w/2
}

// litRow returns the selected row of a pane, -1 for none.
func litRow(s *term.Screen, b box) int {
	for row := range b.h {
		if isRowLit(s, b, row) {
			return row
		}
	}
	return -1
}
