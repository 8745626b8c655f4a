package logs

import (
	"slices"
	"time"
)

// Filter says which records are listed. The zero value lists all.
type Filter struct {
	Ships []string // empty for all
	Role  string   // "" for all
	Grep  *Pattern // nil for all
}

// SetFilter lists other records from now on. What was listed is listed anew, newest first.
func (b *Book) SetFilter(f Filter) {
	b.filter = f
	b.role = 0
	if f.Role != "" {
		b.role = roleCode(f.Role)
	}
	for i, file := range b.files {
		b.wanted[i] = b.wantsFile(file)
	}
	b.restart()
}

// Filter is what SetFilter set.
func (b *Book) Filter() Filter { return b.filter }

func (b *Book) wantsFile(f File) bool {
	return len(b.filter.Ships) == 0 || slices.Contains(b.filter.Ships, f.Ship)
}

// restart makes the lists anew.
func (b *Book) restart() {
	b.lines.restartAt(b.last)
	b.hits.restartAt(b.last)
	b.jobs.stop()
	b.held, b.kept = nil, nil
}

// listed reports whether the filter lets a record through, apart from its pattern.
func (b *Book) listed(r *record) bool {
	return b.wanted[r.file] && !b.gone[r.file] && (b.role == 0 || b.role == r.role)
}

// Advance goes on with the list for about as long as budget, the newest records first.
// It reports whether there is more to do.
func (b *Book) Advance(budget time.Duration) (more bool) {
	begin := time.Now()
	l := &b.lines
	for n := 1; l.high < b.last || l.low > b.first; n++ {
		if n%blockSize == 0 && time.Since(begin) >= budget {
			return true
		}
		if l.high < b.last {
			if b.listed(b.recordAt(l.high)) {
				l.newer = append(l.newer, l.high)
			}
			l.high++
			continue
		}
		l.low--
		if b.listed(b.recordAt(l.low)) {
			l.older = append(l.older, l.low)
		}
	}
	return false
}

// Lines are the records that the filter lets through, apart from its pattern.
func (b *Book) Lines() List { return &b.lines }

// Matches are the records that the filter lets through with its pattern; without one they are Lines.
func (b *Book) Matches() List {
	if b.filter.Grep == nil {
		return &b.lines
	}
	return &b.hits
}

// Searched is the share of the lines in which the pattern was looked for, and whether
// the lists are complete.
func (b *Book) Searched() (share float64, all bool) {
	all = b.lines.low <= b.first && b.lines.high >= b.last
	if b.filter.Grep == nil {
		return 1, all
	}
	all = all && b.hits.low <= b.lines.low && b.hits.high >= b.lines.high
	n := b.lines.Len()
	if n == 0 {
		return 1, all
	}
	return float64(b.lines.Index(b.hits.high)-b.lines.Index(b.hits.low)) / float64(n), all
}

// CompleteFrom is the sequence number from which on Hits are complete, but for the newest.
func (b *Book) CompleteFrom() int64 {
	if b.filter.Grep == nil {
		return b.lines.low
	}
	return max(b.lines.low, b.hits.low)
}
