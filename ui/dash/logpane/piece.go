package logpane

import "ocaptain/ui/logs"

// What a row is a piece of.
type of uint8

const (
	nothing of = iota // a mark
	itself            // a record of the list
	beside            // context of it
)

// piece is what is drawn in one row: a part of a line of a record's words.
type piece struct {
	of   of
	seq  int64
	line int // of the words
	from int // the part of the line that is drawn, in bytes
	to   int
	mark mark
}

// pieces appends the rows of a record to all.
func (p *Pane) pieces(all []piece, seq int64, what of) []piece {
	e := p.words.entryOf(seq)
	if e == nil { // it is being read
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

// minBody is how narrow the words may become before they are cut off.
const minBody = 10

// lineText is a line of the entry as it is drawn, and where its words begin.
func (e *entry) lineText(i int) (string, int) {
	if i > 0 {
		return e.wordLines()[i], 0
	}
	name := e.line.Name() + " "
	return name + e.line.Prefix() + e.wordLines()[0], len(name)
}

// gutter is the width of what stands before each line: whether it is a hit.
func (p *Pane) gutter() int {
	if p.grep != nil && p.context != OnlyHits {
		return 2
	}
	return 0
}

// indent is where the words begin.
func (p *Pane) indent(l *logs.Line) int {
	n := p.gutter() + p.nameWidth(l) + 1
	if p.clock {
		n += len("15:04:05 ")
	}
	return n
}

// nameWidth is the width of the column with the ship's name.
func (p *Pane) nameWidth(l *logs.Line) int { return max(p.names, stringWidth(l.Name())) }
