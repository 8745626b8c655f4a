package logpane

import (
	"math"
	"slices"

	"ocaptain/ui/logs"
)

// row is a row on the screen.
type row struct {
	item int64 // the list's record that the row belongs to
	skip int   // number of the record's rows above the screen
	piece
}

// layout computes the rows on the screen, for the size of the last View.
func (p *Pane) layout() {
	l := p.list()
	if l.Len() == 0 || p.height <= 0 {
		p.rows = p.rows[:0]
		return
	}
	if p.follow {
		p.rows = p.upwards(l, l.Len()-1, p.height)
		return
	}
	if p.settling {
		_, complete := p.book.Searched()
		p.cursor, p.reveal, p.settling = p.wish, true, !complete
	}
	p.cursor = l.Seq(p.selectedIndex(l))
	if p.reveal {
		p.scrollToSelected(l)
		p.reveal = false
	}
	p.layOut(l)
	p.book.HoldRecords(p.shownRecords())
}

// layOut computes the rows from the top on. At the end of the list it fills the screen with earlier rows.
func (p *Pane) layOut(l logs.List) {
	p.rows = p.rows[:0]
	i := l.Index(p.top.seq)
	skip := p.top.skip
	if i >= l.Len() {
		i = l.Len() - 1
	}
	if l.Seq(i) != p.top.seq {
		skip = 0
	}
	for ; i < l.Len() && len(p.rows) < p.height; i, skip = i+1, 0 {
		rows := p.rowsOf(l, i)
		p.rows = append(p.rows, rows[min(skip, len(rows)-1):]...)
	}
	if len(p.rows) < p.height {
		p.rows = p.upwards(l, l.Len()-1, p.height)
	}
	p.rows = p.rows[:min(len(p.rows), p.height)]
	p.top = place{p.rows[0].item, p.rows[0].skip}
}

// scrollToSelected moves the top no further than needed to make the selected record visible.
func (p *Pane) scrollToSelected(l logs.List) {
	i := p.selectedIndex(l)
	if p.cursor <= p.top.seq {
		if p.cursor < p.top.seq || p.top.skip > 0 {
			p.top = place{seq: p.cursor}
		}
		return
	}
	p.layOut(l)
	if last := p.rows[len(p.rows)-1]; p.cursor > last.item || p.cursor == last.item && last.skip+1 < len(p.rowsOf(l, i)) {
		rows := p.upwards(l, i, p.height)
		p.top = place{rows[0].item, rows[0].skip}
		if p.top.seq == p.cursor { // the record is higher than the screen
			p.top.skip = 0
		}
	}
}

// upwards returns up to n rows that end with record i of the list.
func (p *Pane) upwards(l logs.List, i, n int) []row {
	var items [][]row
	for have := 0; i >= 0 && have < n; i-- {
		rows := p.rowsOf(l, i)
		items = append(items, rows)
		have += len(rows)
	}
	slices.Reverse(items)
	rows := slices.Concat(items...)
	return rows[max(0, len(rows)-n):]
}

// rowsOf returns the rows of record i of the list, with context and marks.
func (p *Pane) rowsOf(l logs.List, i int) []row {
	seq, next := l.Seq(i), int64(math.MaxInt64)
	if i+1 < l.Len() {
		next = l.Seq(i + 1)
	}
	var pieces []piece
	before, after := p.around(l, seq)
	for _, s := range before {
		pieces = p.pieces(pieces, s, beside)
	}
	pieces = p.pieces(pieces, seq, itself)
	for _, s := range after {
		pieces = p.pieces(pieces, s, beside)
	}
	for _, m := range p.marksBetween(seq, next) {
		pieces = append(pieces, piece{of: nothing, mark: m})
	}
	rows := make([]row, len(pieces))
	for k := range pieces {
		rows[k] = row{seq, k, pieces[k]}
	}
	return rows
}

// around returns the context of a hit: nearby records of the same log, unless they are hits themselves or are shown
// with another hit.
func (p *Pane) around(l logs.List, seq int64) (before, after []int64) {
	if p.context != Around || p.grep == nil {
		return nil, nil
	}
	before, after = p.book.Around(seq, 2*around)
	for i, s := range slices.Backward(before) {
		if l.Has(s) { // the hit has context of its own
			before = before[min(len(before), i+1+around):]
			break
		}
	}
	before = before[max(0, len(before)-around):]
	after = after[:min(len(after), around)]
	if i := slices.IndexFunc(after, l.Has); i >= 0 {
		after = after[:i]
	}
	return before, after
}

// shownRecords returns the records on the screen.
func (p *Pane) shownRecords() []int64 {
	var seqs []int64
	for _, r := range p.rows {
		if r.of != nothing {
			seqs = append(seqs, r.seq)
		}
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}
