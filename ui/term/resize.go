package term

import "slices"

// Bounds of a screen's size.
const (
	maxCols = 1000
	maxRows = 1000
)

func clampSize(cols, rows int) (int, int) {
	return max(1, min(cols, maxCols)), max(1, min(rows, maxRows))
}

// Resize changes the size of the screen, within bounds. It rewraps the lines of the main screen,
// but not of the alternate screen, which its program paints again.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == s.cols && rows == s.rows {
		return
	}
	s.resize(cols, rows, s.behind == nil)
	for _, l := range s.lines {
		s.changed(l)
	}
}

func (s *Screen) resize(cols, rows int, reflow bool) {
	x, y := s.x, s.y
	if rows != s.rows {
		y = s.setRows(rows, y)
		s.top, s.bottom = 0, rows-1
	}
	if cols != s.cols {
		s.cols = cols
		s.tabs = newTabs(cols)
		if reflow {
			x, y = s.reflow(x, y)
		}
	}
	if y < 0 {
		x, y = 0, 0
	}
	s.x, s.y = x, min(y, rows-1) // one past the last column stands for all columns further right
}

// setRows makes the grid taller or shorter and returns the new line of the cursor, which was at
// line y.
func (g *grid) setRows(rows, y int) int {
	if rows > g.rows {
		more := rows - g.rows
		back := 0
		if g.keeps {
			back = min(more, g.scrolled)
			g.scrolled -= back
		}
		g.lines = slices.Concat(g.past.popNewest(back), g.lines, g.blanks(more-back))
		g.rows = rows
		return y + back
	}
	// Lines below the cursor go first, then lines at the top.
	below := min(g.rows-rows, g.rows-1-y)
	if below > 0 {
		g.unwrap(g.rows - below - 1)
	}
	above := g.rows - rows - below
	if !g.keeps && above > 0 {
		g.unwrap(-1)
	}
	for _, l := range g.lines[:above] {
		if g.keeps {
			g.remember(l)
		}
	}
	g.lines = slices.Clone(g.lines[above : above+rows])
	g.rows = rows
	return y - above
}

// reflow rewraps all lines for the grid's new width, and returns the new position of the cursor.
func (g *grid) reflow(x, y int) (int, int) {
	all := append(g.past.popNewest(g.past.len()), g.lines...)
	all = all[g.outdated(all):]
	older := len(all) - g.rows
	column, text := locate(all, x, older+y)
	f := reflow{in: all, cols: g.cols, scrolled: min(g.scrolled, older)}
	f.run()
	all = f.out
	if short := g.rows - len(all); short > 0 {
		all = append(all, g.blanks(short)...)
	}
	for _, l := range all {
		g.changed(l)
	}
	x, y = positionOf(all, column, text)
	older = len(all) - g.rows
	for _, l := range all[max(0, older-g.past.limit):older] {
		g.past.pushCopy(l)
	}
	g.lines = slices.Clone(all[older:])
	g.scrolled = min(f.scrolled, g.past.len())
	return x, y - older
}

// outdated returns how many of the oldest lines to drop before the reflow, since the later lines
// will fill the scrollback. So a narrow screen does not break lines in vain.
func (g *grid) outdated(all []*line) int {
	enough := g.past.limit + g.rows
	i := len(all) - g.rows
	for lines := 0; i > 0 && lines <= enough; i-- {
		l := all[i-1]
		lines += l.used / g.cols
		if !l.wrapped && l.used%g.cols > 0 {
			lines++
		}
	}
	return max(0, i)
}
