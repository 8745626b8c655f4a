package logs

import "slices"

// Book is an index of the newest records of all logs of a voyage: it holds where they are, not
// their text. Every record keeps its sequence number; older records found later get smaller
// numbers. A Book belongs to one goroutine.
type Book struct {
	most        int
	files       []File
	gone        []bool // by file
	ends        []ends // by file
	older       []*block
	newer       []*block
	first, last int64 // sequence numbers, from first up to but excluding last
	share       float64
	whole       bool

	filter Filter
	wanted []bool // by file
	role   uint8
	lines  list // the records that pass the filter without its pattern
	hits   list // the records of lines that match the pattern
	jobs   jobs

	held held
	kept map[int64]record // evicted, but held
}

// ends are the first and the last record of a log that the book holds.
type ends struct {
	first, last int64
	any         bool
}

// A block holds consecutive records. Block 0 begins with sequence number 0; blocks of older records
// count down from -1.
const (
	blockBits = 12
	blockSize = 1 << blockBits
)

type block [blockSize]record

// held are the sequence numbers, in order, of evicted records that stay in the lists.
type held []int64

func (h held) contains(seq int64) bool {
	_, ok := slices.BinarySearch(h, seq)
	return ok
}

// NewBook returns an empty book for up to most records.
func NewBook(most int) *Book { return &Book{most: max(1, most)} }

// ApplyBatch adds news. It calls words for each record that comes with its words.
func (b *Book) ApplyBatch(news Batch, words func(seq int64, l *Line)) {
	for _, f := range news.files {
		b.files = append(b.files, f)
		b.gone = append(b.gone, false)
		b.ends = append(b.ends, ends{})
		b.wanted = append(b.wanted, b.wantsFile(f))
	}
	for _, n := range news.gone {
		b.gone[n] = true
	}
	if len(news.gone) > 0 {
		b.restart()
	}
	for _, f := range news.older {
		if b.last-b.first >= int64(b.most) {
			break
		}
		b.first--
		b.putRecord(b.first, f.record)
		if f.line != nil {
			words(b.first, f.line)
		}
	}
	for _, f := range news.newer {
		b.putRecord(b.last, f.record)
		if f.line != nil {
			words(b.last, f.line)
		}
		b.last++
		b.evictOldest()
	}
	if len(news.older) > 0 || news.whole {
		b.share, b.whole = news.share, news.whole
	}
	b.lines.dropEvicted(b.first, b.held)
	b.hits.dropEvicted(b.first, b.held)
}

// putRecord writes a record at one of the two ends and links it with the next record of the same log.
func (b *Book) putRecord(seq int64, r record) {
	e := &b.ends[r.file]
	switch {
	case !e.any || e.last < b.first:
		e.first, e.last, e.any = seq, seq, true
	case seq > e.last:
		r.prev = uint32(seq - e.last)
		b.recordAt(e.last).next = r.prev
		e.last = seq
	default:
		r.next = uint32(e.first - seq)
		b.recordAt(e.first).prev = r.next
		e.first = seq
	}
	blocks, n := &b.newer, int(seq>>blockBits)
	if n < 0 {
		blocks, n = &b.older, -n-1
	}
	if n == len(*blocks) {
		*blocks = append(*blocks, new(block))
	}
	(*blocks)[n][seq&(blockSize-1)] = r
}

// recordAt returns a record within the book.
func (b *Book) recordAt(seq int64) *record {
	n := int(seq >> blockBits)
	if n < 0 {
		return &b.older[-n-1][seq&(blockSize-1)]
	}
	return &b.newer[n][seq&(blockSize-1)]
}

// record returns a record that is within the book or held.
func (b *Book) record(seq int64) (record, bool) {
	if seq >= b.first && seq < b.last {
		return *b.recordAt(seq), true
	}
	r, ok := b.kept[seq]
	return r, ok
}

// evictOldest drops the oldest record when there are too many.
func (b *Book) evictOldest() {
	if b.last-b.first <= int64(b.most) {
		return
	}
	if b.held.contains(b.first) {
		if b.kept == nil {
			b.kept = map[int64]record{}
		}
		b.kept[b.first] = *b.recordAt(b.first)
	}
	b.first++
	if b.first&(blockSize-1) != 0 {
		return
	}
	if n := int(b.first>>blockBits) - 1; n >= 0 {
		b.newer[n] = nil
	} else {
		b.older[-n-1] = nil
	}
}

// HoldRecords keeps these records, in order of their sequence numbers, in the lists even if they
// are evicted. It releases the records held before.
func (b *Book) HoldRecords(seqs []int64) {
	if slices.Equal(seqs, b.held) {
		return
	}
	b.held = slices.Clone(seqs)
	for seq := range b.kept {
		if !b.held.contains(seq) {
			delete(b.kept, seq)
		}
	}
	b.lines.release(b.held)
	b.hits.release(b.held)
}

// Len returns the number of records, filtered or not.
func (b *Book) Len() int { return int(b.last - b.first) }

// NextSeq returns the sequence number of the next record.
func (b *Book) NextSeq() int64 { return b.last }

// Files returns the logs; a Ref names a log by its index.
func (b *Book) Files() []File { return b.files }

// Indexed returns the indexed share of what was there at the beginning, and whether that is all.
func (b *Book) Indexed() (share float64, whole bool) { return b.share, b.whole }

// RecordRef returns where a record's text is; false when the record is no longer known.
func (b *Book) RecordRef(seq int64) (Ref, bool) {
	r, ok := b.record(seq)
	return Ref{seq, int(r.file), r.offset, int(r.length)}, ok
}

// Around returns up to n records of the same log before and after a record.
func (b *Book) Around(seq int64, n int) (before, after []int64) {
	begin, _ := b.record(seq)
	at, r := seq, begin
	for r.prev > 0 && len(before) < n {
		at -= int64(r.prev)
		var ok bool
		if r, ok = b.record(at); !ok {
			break
		}
		before = append(before, at)
	}
	slices.Reverse(before)
	at, r = seq, begin
	for r.next > 0 && len(after) < n {
		at += int64(r.next)
		r, _ = b.record(at)
		after = append(after, at)
	}
	return before, after
}
