package logpane

import "ocaptain/ui/logs"

// stopFollowing pauses: the rows on the screen stay there, whatever comes and goes.
func (p *Pane) stopFollowing() {
	if !p.follow {
		return
	}
	p.layout()
	l := p.list()
	switch {
	case p.book.Len() == 0:
		return
	case l.Len() == 0: // the list is being filled
		p.cursor = p.book.NextSeq() - 1
		p.wish, p.settling = p.cursor, true
	default:
		p.cursor = l.Seq(l.Len() - 1)
	}
	p.follow, p.paused = false, p.book.NextSeq()
	p.top = place{seq: p.cursor}
	if len(p.rows) > 0 {
		p.top = place{p.rows[0].item, p.rows[0].skip}
	}
}

// choose selects a record for the captain.
func (p *Pane) choose(seq int64) { p.cursor, p.settling, p.search = seq, false, 0 }

// selectedIndex returns the place of the selected record in the list, or of the record after it.
func (p *Pane) selectedIndex(l logs.List) int { return max(0, min(l.Index(p.cursor), l.Len()-1)) }

// MoveBy moves the selection n records down, or up, which pauses.
func (p *Pane) MoveBy(n int) {
	l := p.list()
	if l.Len() == 0 || p.follow && n >= 0 {
		return
	}
	p.stopFollowing()
	p.choose(l.Seq(max(0, min(p.selectedIndex(l)+n, l.Len()-1))))
	p.reveal = true
}

// PageBy moves by n half screens. Moving up pauses.
func (p *Pane) PageBy(n int) {
	if p.follow && n >= 0 {
		return
	}
	p.stopFollowing()
	p.layout()
	row := p.rowOf(p.cursor)
	was := p.top
	p.scroll(n * max(1, p.height/2))
	p.layout()
	switch {
	case len(p.rows) == 0:
	case p.top == was: // there is no more in that direction
		if row = 0; n > 0 {
			row = len(p.rows) - 1
		}
		p.choose(p.rows[row].item)
	default:
		p.choose(p.rows[max(0, min(row, len(p.rows)-1))].item)
	}
}

// Wheel scrolls by n rows, down when n is positive. Scrolling up pauses.
func (p *Pane) Wheel(n int) {
	if p.follow && n >= 0 {
		return
	}
	p.stopFollowing()
	p.scroll(n)
	p.layout()
	if len(p.rows) > 0 {
		p.choose(max(p.rows[0].item, min(p.cursor, p.rows[len(p.rows)-1].item)))
	}
}

// Top selects the oldest record.
func (p *Pane) Top() {
	l := p.list()
	if l.Len() == 0 {
		return
	}
	p.stopFollowing()
	p.choose(l.Seq(0))
	p.top = place{seq: p.cursor}
}

// Bottom follows the newest record again.
func (p *Pane) Bottom() {
	p.follow, p.search, p.settling = true, 0, false
	p.book.HoldRecords(nil)
}

// ToggleFollow pauses, or follows again.
func (p *Pane) ToggleFollow() {
	if p.follow {
		p.stopFollowing()
	} else {
		p.Bottom()
	}
}

// Click selects the record at a place of the body, and pauses.
func (p *Pane) Click(_, y int) {
	p.stopFollowing()
	p.layout()
	if y >= 0 && y < len(p.rows) && !p.follow {
		p.choose(p.rows[y].item)
	}
}

// Selected returns the text of the selected record, or of the newest one while the pane follows; false when there is
// none or its text was not read yet.
func (p *Pane) Selected() (string, bool) {
	l := p.list()
	if l.Len() == 0 {
		return "", false
	}
	seq := l.Seq(l.Len() - 1)
	if !p.follow {
		seq = l.Seq(p.selectedIndex(l))
	}
	line := p.words.lineOf(seq)
	if line == nil {
		return "", false
	}
	return line.String(), true
}

// scroll moves the first row by n rows.
func (p *Pane) scroll(n int) {
	l := p.list()
	i := l.Index(p.top.seq)
	if i >= l.Len() {
		return
	}
	for ; n > 0; n-- {
		if p.top.skip+1 < len(p.rowsOf(l, i)) {
			p.top.skip++
		} else if i+1 < l.Len() {
			i++
			p.top = place{seq: l.Seq(i)}
		}
	}
	for ; n < 0; n++ {
		if p.top.skip > 0 {
			p.top.skip--
		} else if i > 0 {
			i--
			p.top = place{l.Seq(i), len(p.rowsOf(l, i)) - 1}
		}
	}
}

// rowOf returns the row on the screen at which a record begins.
func (p *Pane) rowOf(seq int64) int {
	for i, r := range p.rows {
		if r.item >= seq {
			return i
		}
	}
	return max(0, len(p.rows)-1)
}
