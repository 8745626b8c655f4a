package logs

import (
	"slices"
	"time"
)

// Filter says which records to list. The zero value lists all.
type Filter struct {
	Ships []string // empty for all
	Role  string   // "" for all
	Grep  *Pattern // nil for all
}

// SetFilter sets the filter and starts the lists again, with the newest records first.
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

// Filter returns the filter last set.
func (b *Book) Filter() Filter { return b.filter }

func (b *Book) wantsFile(f File) bool {
	return len(b.filter.Ships) == 0 || slices.Contains(b.filter.Ships, f.Ship)
}

// restart empties the lists, to fill them again.
func (b *Book) restart() {
	b.lines.restartAt(b.last)
	b.hits.restartAt(b.last)
	b.jobs.stop()
	b.held, b.kept = nil, nil
}

// listed reports whether a record passes the filter without its pattern.
func (b *Book) listed(r *record) bool {
	return b.wanted[r.file] && !b.gone[r.file] && (b.role == 0 || b.role == r.role)
}

// Advance fills the lists for about as long as budget, the newest records first. It reports whether
// there is more to do.
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

// Lines returns the records that pass the filter without its pattern.
func (b *Book) Lines() List { return &b.lines }

// Matches returns the records that pass the whole filter; without a pattern they are Lines.
func (b *Book) Matches() List {
	if b.filter.Grep == nil {
		return &b.lines
	}
	return &b.hits
}

// Searched returns the share of Lines that the search has covered, and whether the lists are
// complete.
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

// CompleteFrom returns the sequence number from which on Matches are complete, except for the newest records.
func (b *Book) CompleteFrom() int64 {
	if b.filter.Grep == nil {
		return b.lines.low
	}
	return max(b.lines.low, b.hits.low)
}
