package term

import (
	"unicode/utf8"

	"ocaptain/ui/term/sgr"
)

// line is a row of cells. Cells past the end of the slice are unstyled blanks, so an unwritten line
// has none. A line may be longer than a screen that became narrower.
type line struct {
	cells   []cell
	marks   []cluster // clusters that its cells refer to, and some unused ones
	used    int       // columns written since the line was emptied
	wrapped bool      // the text goes on in the line below
	version uint64
}

func (l *line) cellAt(x int) cell {
	if x < len(l.cells) {
		return l.cells[x]
	}
	return cell{}
}

// growTo extends the line to at least n cells.
func (l *line) growTo(n, cols int) {
	have := len(l.cells)
	if n <= have {
		return
	}
	if n > cap(l.cells) {
		grown := make([]cell, n, max(n, cols))
		copy(grown, l.cells)
		l.cells = grown
		return
	}
	l.cells = l.cells[:n]
	clear(l.cells[have:])
}

// resetCells empties the line, with a background.
func (l *line) resetCells(cols int, bg sgr.Color) {
	l.cells, l.marks = l.cells[:0], l.marks[:0]
	l.used, l.wrapped = 0, false
	if bg != 0 {
		l.growTo(cols, cols)
		l.blankCells(0, cols, bg)
	}
}

// set puts c at x.
func (l *line) set(x, cols int, c cell) {
	l.growTo(x+1, cols)
	l.cells[x] = c
	l.used = max(l.used, x+1)
}

// blankCells blanks the cells from x to end, which must exist.
func (l *line) blankCells(x, end int, bg sgr.Color) {
	clear(l.cells[x:end])
	if bg == 0 {
		return
	}
	for i := x; i < end; i++ {
		l.cells[i].bg = uint32(bg)
	}
}

// clearCells blanks n cells from x, without counting them as used.
func (l *line) clearCells(x, n, cols int, bg sgr.Color) {
	end := x + n
	if bg == 0 {
		end = min(end, len(l.cells))
	}
	if x >= end {
		return
	}
	l.growTo(end, cols)
	l.blankCells(x, end, bg)
}

// moveCells moves n cells from x to another column and blanks the cells they leave.
func (l *line) moveCells(to, x, n, cols int, bg sgr.Color) {
	if n <= 0 || to == x {
		return
	}
	l.growTo(max(x, to)+n, cols)
	copy(l.cells[to:to+n], l.cells[x:x+n])
	l.used = max(l.used, to+n)
	if to > x {
		l.blankCells(x, min(to, x+n), bg)
	} else {
		l.blankCells(max(x, to+n), x+n, bg)
	}
}

// putASCII writes printable ASCII at x, which must fit.
func (l *line) putASCII(x, cols int, p []byte, pen cell) {
	end := x + len(p)
	if x > 0 && l.cellAt(x).text&pad != 0 {
		l.breakWide(x)
	}
	l.growTo(end, cols)
	out := l.cells[x:end]
	for i, c := range p[:len(out)] {
		out[i] = cell{pen.text | uint32(c), pen.fg, pen.bg, pen.ul}
	}
	l.used = max(l.used, end)
	l.dropPads(end, cols)
}

// breakWide blanks the wide character whose right half is at x. Like tmux, it keeps a right half in
// the first column; the screen does not show it.
func (l *line) breakWide(x int) {
	for ; x > 0; x-- {
		if l.cells[x].text&pad == 0 {
			if l.cells[x].text&wide != 0 {
				l.cells[x] = cell{}
			}
			return
		}
		l.cells[x] = cell{}
	}
}

// dropPads blanks right halves from x on.
func (l *line) dropPads(x, cols int) {
	for x < min(len(l.cells), cols) && l.cells[x].text&pad != 0 {
		l.cells[x] = cell{}
		l.used = max(l.used, x+1)
		x++
	}
}

// putCell writes a cell of any width at x, where it must fit.
func (l *line) putCell(x, cols int, c cell) {
	end := x + c.columns()
	l.growTo(end, cols)
	old := l.cells[x].text
	if old&pad != 0 {
		// Clear the whole character, and at a right half without a left one, the cell before.
		i := x
		for ; i > 0 && l.cells[i].text&pad != 0; i-- {
			l.cells[i] = cell{}
		}
		l.cells[i] = cell{}
	}
	if c.text&wide != 0 {
		l.dropPads(end, cols)
		l.cells[x+1] = padding
	} else if old&(wide|pad) != 0 {
		l.dropPads(end, cols)
	}
	l.cells[x] = c
	l.used = max(l.used, end)
}

// combine adds a mark to the character before column x; it reports whether such a character has
// room for it.
func (l *line) combine(x, cols int, r rune) bool {
	x--
	for x >= 0 && l.cellAt(x).text&pad != 0 {
		x--
	}
	if x < 0 {
		return false
	}
	var b [utf8.UTFMax]byte
	add := b[:utf8.EncodeRune(b[:], r)]
	c := l.cellAt(x)
	if c.text&mark != 0 {
		return l.marks[c.text&runeBits].add(add)
	}
	var m cluster
	m.n = uint8(utf8.EncodeRune(m.bytes[:], c.runeOrBlank()))
	m.add(add)
	c.text = c.text&^runeBits | mark | l.storeCluster(m, cols)
	l.set(x, cols, c)
	return true
}

// storeCluster stores a cluster. When the line has no room for more, it drops unused clusters
// first.
func (l *line) storeCluster(m cluster, cols int) uint32 {
	if len(l.marks) >= 2*max(cols, len(l.cells)) {
		l.dropMarks(nil)
	}
	l.marks = append(l.marks, m)
	return uint32(len(l.marks) - 1)
}

// dropMarks copies the clusters in use to kept.
func (l *line) dropMarks(kept []cluster) {
	for i := range l.cells {
		if c := &l.cells[i]; c.text&mark != 0 {
			kept = append(kept, l.marks[c.text&runeBits])
			c.text = c.text&^runeBits | uint32(len(kept)-1)
		}
	}
	l.marks = kept
}

// runeOrBlank returns the character of a cell without a cluster.
func (c cell) runeOrBlank() rune {
	if r := rune(c.text & runeBits); r != 0 {
		return r
	}
	return ' '
}
