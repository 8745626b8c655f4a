package term

// reflow breaks lines for a new width. A text is a line and the lines that it wraps into.
type reflow struct {
	in, out  []*line // a line is nil once it was moved or used up
	cols     int
	scrolled int // how many lines of past may come back
}

func (f *reflow) run() {
	for i, l := range f.in {
		if l == nil {
			continue
		}
		fits, width := l.measure(f.cols)
		switch {
		case width > f.cols:
			f.splitLine(i, fits)
		case width < f.cols && l.wrapped:
			f.takeLine(i)
			f.joinLines(i, width)
		default:
			f.takeLine(i)
		}
	}
}

// measure returns the width of a line and how many of its cells fit into cols.
func (l *line) measure(cols int) (fits, width int) {
	for x := range l.used {
		w := l.cellAt(x).columns()
		if fits == 0 && width+w > cols {
			fits = x
		}
		width += w
	}
	return fits, width
}

func (f *reflow) takeLine(i int) {
	f.out = append(f.out, f.in[i])
	f.in[i] = nil
}

// splitLine breaks a line that is too wide.
func (f *reflow) splitLine(i, fits int) {
	l := f.in[i]
	f.takeLine(i)
	wrapped := l.wrapped
	l.wrapped = true
	next, width, lines := &line{}, 0, 2
	for x := fits; x < l.used; x++ {
		w := l.cellAt(x).columns()
		if width+w > f.cols {
			next.wrapped = true
			f.out = append(f.out, next)
			next, width = &line{}, 0
			lines++
		}
		next.copyCell(l, x, f.cols)
		width += w
	}
	next.wrapped = wrapped
	f.out = append(f.out, next)
	l.used = fits
	l.cells = l.cells[:min(len(l.cells), fits)]
	if i <= f.scrolled {
		f.scrolled += lines - 1
	}
	if width < f.cols && wrapped {
		f.joinLines(i, width)
	}
}

// joinLines fills the newest line, which is width wide, from the lines after line i.
func (f *reflow) joinLines(i, width int) {
	to := f.out[len(f.out)-1]
	goesOn, lines, left := true, 0, 0
	for i+1+lines < len(f.in) {
		from := f.in[i+1+lines]
		goesOn = goesOn && from.wrapped
		if from.used == 0 {
			if !goesOn {
				break
			}
			lines++
			continue
		}
		n := 0
		for n < from.used {
			w := from.cellAt(n).columns()
			if width+w > f.cols {
				break
			}
			width += w
			to.copyCell(from, n, f.cols)
			n++
		}
		if n == 0 {
			break
		}
		lines++
		if left = from.used - n; left > 0 {
			from.dropFirst(n)
		}
		if !goesOn || left > 0 || width == f.cols {
			break
		}
	}
	if lines == 0 {
		return
	}
	if left > 0 {
		lines-- // the rest of it becomes a line of its own
	} else if !goesOn {
		to.wrapped = false
	}
	clear(f.in[i+1 : i+1+lines])
	if at := len(f.out) - 1; f.scrolled > at+lines {
		f.scrolled -= lines
	} else if f.scrolled > at {
		f.scrolled = at
	}
}

// copyCell adds cell x of another line.
func (l *line) copyCell(from *line, x, cols int) {
	c := from.cellAt(x)
	if c.text&mark != 0 {
		c.text = c.text&^runeBits | l.storeCluster(from.marks[c.text&runeBits], cols)
	}
	l.set(l.used, cols, c)
}

// dropFirst drops the first n of the written cells.
func (l *line) dropFirst(n int) {
	l.used -= n
	l.cells = l.cells[min(n, len(l.cells)):]
	l.cells = l.cells[:min(l.used, len(l.cells))]
}

// end stands for every column past the end of a text.
const end = -1

// locate returns the position of x, y within the texts: the column in a text, and the text's number.
func locate(lines []*line, x, y int) (column, text int) {
	for _, l := range lines[:y] {
		if l.wrapped {
			column += l.used
		} else {
			column = 0
			text++
		}
	}
	if x >= lines[y].used {
		return end, text
	}
	return column + x, text
}

// positionOf is the inverse of locate.
func positionOf(lines []*line, column, text int) (x, y int) {
	last := len(lines) - 1
	for ; y < last && text > 0; y++ {
		if !lines[y].wrapped {
			text--
		}
	}
	for ; y < last && lines[y].wrapped; y++ {
		if column != end {
			if column < lines[y].used {
				break
			}
			column -= lines[y].used
		}
	}
	if column == end {
		column = lines[y].used
	}
	return column, y
}
