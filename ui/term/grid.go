package term

import (
	"slices"

	"ocaptain/ui/term/sgr"
)

// grid holds the lines of a screen, and the lines that left it at the top. Its rules are tmux's, even for when a line stops continuing the
// line above, because that decides where the cursor goes and how lines are joined again.
type grid struct {
	cols, rows int
	lines      []*line
	past       past
	keeps      bool    // lines that leave at the top enter past
	scrolled   int     // lines of past that come back when the screen grows
	clock      *uint64 // counts changes
}

func newGrid(cols, rows, history int, clock *uint64) *grid {
	g := &grid{cols: cols, rows: rows, past: past{limit: history}, keeps: history > 0, clock: clock}
	g.lines = g.blanks(rows)
	return g
}

// blanks returns n new lines.
func (g *grid) blanks(n int) []*line {
	lines := make([]*line, n)
	for i := range lines {
		lines[i] = &line{}
		g.changed(lines[i])
	}
	return lines
}

// changed gives a line a new version, unique among all lines.
func (g *grid) changed(l *line) {
	*g.clock++
	l.version = *g.clock
}

// editLine returns line y for a change.
func (g *grid) editLine(y int) *line {
	g.changed(g.lines[y])
	return g.lines[y]
}

// resetLine replaces line y by a new one.
func (g *grid) resetLine(y int, bg sgr.Color) { g.editLine(y).resetCells(g.cols, bg) }

// unwrap ends the text at the end of line y; -1 is the newest line of past.
func (g *grid) unwrap(y int) {
	switch {
	case y >= 0:
		g.lines[y].wrapped = false
	case y == -1 && g.past.len() > 0:
		g.past.nthNewest(0).wrapped = false
	}
}

// clearCells blanks part of line y.
func (g *grid) clearCells(y, x, n int, bg sgr.Color) {
	if x == 0 && n >= g.cols {
		g.clearLines(y, 1, bg)
		return
	}
	if n > 0 {
		g.editLine(y).clearCells(x, n, g.cols, bg)
	}
}

// clearLines blanks n lines. Even for n below 1 the line above ends there.
func (g *grid) clearLines(y, n int, bg sgr.Color) {
	if n == 0 {
		return
	}
	for i := y; i < y+n; i++ {
		g.resetLine(i, bg)
	}
	g.unwrap(y - 1)
}

// moveLines moves n lines from y to another place and empties the places they leave.
func (g *grid) moveLines(to, y, n int, bg sgr.Color) {
	if n <= 0 || to == y {
		return
	}
	g.unwrap(to - 1)
	var freed []*line // the overwritten lines, for the places that the moved lines leave
	var at int
	if to < y {
		at = max(y, to+n)
		freed = slices.Clone(g.lines[to:min(y, to+n)])
	} else {
		at = y
		freed = slices.Clone(g.lines[max(to, y+n) : to+n])
	}
	copy(g.lines[to:to+n], g.lines[y:y+n])
	copy(g.lines[at:], freed)
	for i := at; i < at+len(freed); i++ {
		g.resetLine(i, bg)
	}
	if y < to || y >= to+n {
		g.unwrap(y - 1)
	}
}

// scrollUp moves the line at the top of a region into past and opens a line at its bottom.
func (g *grid) scrollUp(top, bottom int, bg sgr.Color) {
	if !g.keeps {
		g.moveLines(top, top+1, bottom-top, bg)
		return
	}
	l := g.lines[top]
	g.remember(l)
	copy(g.lines[top:bottom], g.lines[top+1:bottom+1])
	g.lines[bottom] = l
	g.resetLine(bottom, bg)
}

func (g *grid) remember(l *line) {
	g.past.pushCopy(l)
	g.scrolled = min(g.scrolled+1, g.past.len())
}

func (g *grid) scrollDown(top, bottom int, bg sgr.Color) {
	g.moveLines(top+1, top, bottom-top, bg)
}

// insertLines opens n lines at y, within a region that ends at bottom.
func (g *grid) insertLines(y, n, bottom int, bg sgr.Color) {
	kept := bottom + 1 - y - n
	g.moveLines(y+n, y, kept, bg)
	g.clearLines(y+kept, n-kept, bg)
}

// deleteLines removes n lines at y from a region.
func (g *grid) deleteLines(y, n, bottom int, bg sgr.Color) {
	kept := bottom + 1 - y - n
	g.moveLines(y, y+n, kept, bg)
	g.clearLines(y+kept, n-kept, bg)
}

// clearAll blanks the screen. Its content enters past, if the grid keeps it, and stays there when
// the screen grows.
func (g *grid) clearAll(bg sgr.Color) {
	last := 0
	for y, l := range g.lines {
		if l.used > 0 {
			last = y + 1
		}
	}
	if !g.keeps || last == 0 {
		g.clearLines(0, g.rows, bg)
		return
	}
	for range last {
		g.scrollUp(0, g.rows-1, bg)
	}
	if last < g.rows {
		g.clearLines(0, g.rows-last, bg)
	}
	g.scrolled = 0
}
