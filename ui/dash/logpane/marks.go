package logpane

import "time"

// mark is a rule that the captain put below the newest record of its time.
type mark struct {
	seq int64 // sequence number of the first record below the mark
	at  time.Time
}

// maxMarks bounds how many marks are kept.
const maxMarks = 200

// AddMark puts a rule with the time below the newest record.
func (p *Pane) AddMark(now time.Time) {
	p.marks = append(p.marks, mark{p.book.NextSeq(), now})
	if n := len(p.marks); n > maxMarks {
		p.marks = p.marks[n-maxMarks:]
	}
}

// marksBetween returns the marks that belong between record seq and the next record in the list.
func (p *Pane) marksBetween(seq, next int64) []mark {
	var some []mark
	for _, m := range p.marks {
		if m.seq > seq && m.seq <= next {
			some = append(some, m)
		}
	}
	return some
}
