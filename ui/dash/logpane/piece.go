package logpane

import "ocaptain/ui/logs"

// of says to which part of a record a row belongs.
type of uint8

const (
	nothing of = iota // a mark
	itself            // a record of the list
	beside            // context of a record in the list
)

// piece is the content of one row: a part of a line of a record's text.
type piece struct {
	of   of
	seq  int64
	line int // line of the text
	from int // the drawn part of the line, in bytes
	to   int
	mark mark
}

// pieces appends the rows of a record to all.
func (p *Pane) pieces(all []piece, seq int64, what of) []piece {
	e := p.words.entryOf(seq)
	if e == nil { // the record is being read
		return append(all, piece{of: what, seq: seq})
	}
	for i := range e.wordLines() {
		text, begin := e.lineText(i)
		if !p.wrap {
			all = append(all, piece{of: what, seq: seq, line: i, from: begin, to: len(text)})
			continue
		}
		for _, end := range breaks(text, begin, max(minBody, p.width-p.indent(e.line))) {
			all = append(all, piece{of: what, seq: seq, line: i, from: begin, to: end})
			begin = end
		}
	}
	return all
}

// minBody is the least width of the text before it is cut off.
const minBody = 10

// lineText returns a line of the entry as drawn, and where its text begins.
func (e *entry) lineText(i int) (string, int) {
	if i > 0 {
		return e.wordLines()[i], 0
	}
	name := e.line.Name() + " "
	return name + e.line.Prefix() + e.wordLines()[0], len(name)
}

// gutter returns the width of the column before each line that marks hits.
func (p *Pane) gutter() int {
	if p.grep != nil && p.context != OnlyHits {
		return 2
	}
	return 0
}

// indent returns the column at which the text begins.
func (p *Pane) indent(l *logs.Line) int {
	n := p.gutter() + p.nameWidth(l) + 1
	if p.clock {
		n += len("15:04:05 ")
	}
	return n
}

// nameWidth returns the width of the column of ships' names.
func (p *Pane) nameWidth(l *logs.Line) int { return max(p.names, stringWidth(l.Name())) }
