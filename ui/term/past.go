package term

// past keeps the newest lines that have left the screen at its top.
type past struct {
	lines []line // a ring once it is full
	first int    // the oldest
	limit int
}

func (p *past) len() int { return len(p.lines) }

// nthNewest returns the n-th newest line; 0 is the newest.
func (p *past) nthNewest(n int) *line {
	return &p.lines[(p.first+len(p.lines)-1-n)%len(p.lines)]
}

// pushCopy keeps a copy of l, without the blanks at its end.
func (p *past) pushCopy(l *line) {
	if p.limit == 0 {
		return
	}
	var to *line
	if len(p.lines) < p.limit {
		p.lines = append(p.lines, line{})
		to = &p.lines[len(p.lines)-1]
	} else {
		to = &p.lines[p.first]
		p.first = (p.first + 1) % p.limit
	}
	n := len(l.cells)
	for n > 0 && l.cells[n-1] == (cell{}) {
		n--
	}
	cells := to.cells
	if cap(cells) < n || cap(cells) > 2*n+16 {
		cells = make([]cell, 0, n)
	}
	marks := to.marks[:0]
	*to = line{append(cells[:0], l.cells[:n]...), nil, l.used, l.wrapped, l.version}
	if len(l.marks) > 0 {
		to.marks = l.marks
		to.dropMarks(marks)
	}
}

// popNewest removes the newest n lines and returns them, oldest first.
func (p *past) popNewest(n int) []*line {
	if n == 0 {
		return nil
	}
	taken := make([]*line, n)
	for i := range n {
		l := *p.nthNewest(n - 1 - i)
		taken[i] = &l
	}
	keep := make([]line, 0, len(p.lines)-n)
	for i := len(p.lines) - 1; i >= n; i-- {
		keep = append(keep, *p.nthNewest(i))
	}
	p.lines, p.first = keep, 0
	return taken
}

func (p *past) forget() { p.lines, p.first = nil, 0 }
