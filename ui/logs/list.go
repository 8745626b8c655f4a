package logs

import "sort"

// List is a list of records in order of their sequence numbers. It is valid until the book changes.
type List interface {
	Len() int
	Seq(i int) int64
	Index(seq int64) int // of the first record that is not before seq
	Has(seq int64) bool
}

// list grows at both ends: it covers all records from low up to but excluding high.
type list struct {
	held      []int64 // evicted
	older     []int64 // newest first
	newer     []int64 // oldest first; the entries before head were evicted
	head      int
	low, high int64
}

// restartAt empties the list, which then grows from seq on in the same memory.
func (l *list) restartAt(seq int64) {
	*l = list{older: l.older[:0], newer: l.newer[:0], low: seq, high: seq}
}

// Len returns the number of records.
func (l *list) Len() int { return len(l.held) + len(l.older) + len(l.newer) - l.head }

// Seq returns the sequence number of a record.
func (l *list) Seq(i int) int64 {
	if i < len(l.held) {
		return l.held[i]
	}
	if i -= len(l.held); i < len(l.older) {
		return l.older[len(l.older)-1-i]
	}
	return l.newer[l.head+i-len(l.older)]
}

// Index returns the index of the first record that is not before seq.
func (l *list) Index(seq int64) int {
	return sort.Search(l.Len(), func(i int) bool { return l.Seq(i) >= seq })
}

// Has reports whether a record is in the list.
func (l *list) Has(seq int64) bool {
	i := l.Index(seq)
	return i < l.Len() && l.Seq(i) == seq
}

// dropEvicted drops the evicted records, which are all before first, except held ones.
func (l *list) dropEvicted(first int64, h held) {
	drop := func(seq int64) bool {
		if seq < first && h.contains(seq) {
			l.held = append(l.held, seq)
		}
		return seq < first
	}
	for n := len(l.older); n > 0 && drop(l.older[n-1]); n-- {
		l.older = l.older[:n-1]
	}
	for l.head < len(l.newer) && drop(l.newer[l.head]) {
		l.head++
	}
	if l.head > blockSize && l.head > len(l.newer)/2 {
		l.newer = append(l.newer[:0], l.newer[l.head:]...)
		l.head = 0
	}
	l.low, l.high = max(l.low, first), max(l.high, first)
}

// release drops the records that are no longer held.
func (l *list) release(h held) {
	kept := l.held[:0]
	for _, seq := range l.held {
		if h.contains(seq) {
			kept = append(kept, seq)
		}
	}
	l.held = kept
}
