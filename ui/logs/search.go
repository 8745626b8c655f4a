package logs

import (
	"slices"
	"sync/atomic"
)

// A job searches this many records. The first is small, to find matches on the screen at once.
const (
	firstJob = 1 << 10
	laterJob = 1 << 13
)

// jobs is the state of a search.
type jobs struct {
	stale       *atomic.Bool // set when the filter changes
	back, ahead bool         // a job is under way for older or for newer records
	size        int          // of the next job for older records
}

func (j *jobs) stop() {
	if j.stale != nil {
		j.stale.Store(true)
	}
	*j = jobs{stale: new(atomic.Bool), size: firstJob}
}

// Job is a part of a search that reads files. Run it outside of the goroutine that owns the book.
type Job struct {
	pattern *Pattern
	files   []File
	refs    []Ref
	words   map[int64]*Line // of records that are already read
	stale   *atomic.Bool
	back    bool
	to      int64 // where the search is after this job
	hits    []int64
}

// NextJob returns the next part of the search, nil when there is none or enough jobs are under way.
// words returns the words of a record if they are known without reading.
func (b *Book) NextJob(words func(seq int64) *Line) *Job {
	if b.filter.Grep == nil {
		return nil
	}
	j := &Job{pattern: b.filter.Grep, files: b.files, stale: b.jobs.stale, words: map[int64]*Line{}}
	l, h := &b.lines, &b.hits
	switch {
	case !b.jobs.ahead && h.high < l.high:
		from := l.Index(h.high)
		to := min(l.Len(), from+laterJob)
		j.to = l.high
		if to < l.Len() {
			j.to = l.Seq(to)
		}
		j.addLines(b, from, to, words)
		b.jobs.ahead = true
	case !b.jobs.back && h.low > l.low:
		to := l.Index(h.low)
		from := max(0, to-b.jobs.size)
		j.back, j.to = true, l.low
		if from > 0 {
			j.to = l.Seq(from)
		}
		j.addLines(b, from, to, words)
		b.jobs.back, b.jobs.size = true, min(laterJob, 2*b.jobs.size)
	default:
		return nil
	}
	return j
}

// addLines adds the lines with index from up to but excluding to.
func (j *Job) addLines(b *Book, from, to int, words func(seq int64) *Line) {
	j.refs = make([]Ref, 0, to-from)
	for i := from; i < to; i++ {
		ref, ok := b.RecordRef(b.lines.Seq(i))
		if !ok {
			continue
		}
		if l := words(ref.Seq); l != nil {
			j.words[ref.Seq] = l
		}
		j.refs = append(j.refs, ref)
	}
}

// Run searches. It does not touch the book.
func (j *Job) Run() {
	var unread []Ref
	for _, ref := range j.refs {
		l := j.words[ref.Seq]
		if l == nil {
			unread = append(unread, ref)
		} else if j.pattern.Match(l.WithoutTime()) {
			j.hits = append(j.hits, ref.Seq)
		}
	}
	var said []byte
	readRefs(j.files, unread, j.stale.Load, func(ref Ref, raw []byte) {
		if said = appendSaid(said[:0], raw); len(said) > 0 && j.pattern.matchBytes(said) {
			j.hits = append(j.hits, ref.Seq)
		}
	})
	slices.Sort(j.hits)
	j.refs, j.words = nil, nil
}

// Finish adds the result of a job. It ignores a job for an earlier filter.
func (b *Book) Finish(j *Job) {
	if j.stale.Load() {
		return
	}
	h := &b.hits
	if j.back {
		b.jobs.back = false
		for _, seq := range slices.Backward(j.hits) {
			if seq >= b.first {
				h.older = append(h.older, seq)
			}
		}
		h.low = max(j.to, b.first)
		return
	}
	b.jobs.ahead = false
	h.newer = append(h.newer, j.hits...)
	h.high = max(j.to, h.high)
	h.dropEvicted(b.first, b.held)
}
