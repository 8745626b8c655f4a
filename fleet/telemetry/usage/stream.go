package usage

import (
	"cmp"
	"slices"
)

// Limits of what is remembered to recognise repetitions. A ship that exceeds them spoils only its own sums.
const (
	mostStreams = 2048 // per ship
	mostPoints  = 64   // per stream of delta points
	mostRecords = 1024 // per stream of log records
	mostStarts  = 8    // per stream of cumulative points
)

// mark identifies a point or a record within its stream. Times are Unix nanoseconds.
type mark struct {
	id uint64 // the begin of a delta point's interval, or a hash of a log record
	at uint64 // when the interval ended, or the event happened
}

// total is the last value of a cumulative stream since one start of its program.
type total struct {
	start, at uint64
	value     int64
}

// stream remembers the points of one series, or the records of one session.
//
// Delta points of one writer have different intervals, so the same interval means the same point. The last mostPoints marks
// are kept exactly, in any order. A mark that is not among them and not later than floor counts as a repetition, since a
// writer sends its points in order.
type stream struct {
	marks  []mark // sorted by time
	floor  uint64 // the latest time of a dropped mark
	last   uint64 // the latest time of all marks
	totals []total
	begun  uint64 // the latest start of a dropped total
}

// verdict says what is known about a point.
type verdict int

const (
	fresh verdict = iota
	again         // the point came before
	late          // the point is too old to tell whether it came before
)

// take judges a mark and remembers it.
func (s *stream) take(m mark, most int) verdict {
	if m.at <= s.last {
		switch {
		case slices.Contains(s.marks, m):
			return again
		case m.at <= s.floor:
			return late
		}
	}
	s.last = max(s.last, m.at)
	i := len(s.marks)
	for i > 0 && s.marks[i-1].at > m.at {
		i--
	}
	s.marks = slices.Insert(s.marks, i, m)
	if len(s.marks) > most {
		s.floor = s.marks[0].at
		s.marks = slices.Delete(s.marks, 0, 1)
	}
	return fresh
}

// increase judges a cumulative value, remembers it, and returns what it adds to the last one. A new start, or a value smaller
// than an earlier one, means that the program restarted its count at zero.
func (s *stream) increase(start, at uint64, value int64) (int64, verdict) {
	s.last = max(s.last, at)
	for i := range s.totals {
		t := &s.totals[i]
		if t.start != start {
			continue
		}
		if at <= t.at {
			return 0, again
		}
		more := value - t.value
		if more < 0 {
			more = value
		}
		t.at, t.value = at, value
		return more, fresh
	}
	if start <= s.begun && s.begun != 0 {
		return 0, late
	}
	s.totals = append(s.totals, total{start, at, value})
	if len(s.totals) > mostStarts {
		slices.SortFunc(s.totals, func(a, b total) int { return cmp.Compare(a.start, b.start) })
		s.begun = s.totals[0].start
		s.totals = slices.Delete(s.totals, 0, 1)
	}
	return value, fresh
}

// streams are the streams of a ship, by a hash of everything that distinguishes them.
type streams struct {
	all   map[uint64]*stream
	floor uint64 // the latest time of the dropped streams
}

// find returns the stream, which may be new, or nil for a stream that may have been dropped.
func (ss *streams) find(id, at uint64) *stream {
	if s := ss.all[id]; s != nil {
		return s
	}
	if at <= ss.floor {
		return nil
	}
	if len(ss.all) >= mostStreams {
		ss.forget()
	}
	s := &stream{}
	ss.all[id] = s
	return s
}

// forget drops the quarter of the streams that ended first.
func (ss *streams) forget() {
	ends := make([]uint64, 0, len(ss.all))
	for _, s := range ss.all {
		ends = append(ends, s.last)
	}
	slices.Sort(ends)
	ss.floor = max(ss.floor, ends[len(ends)/4])
	for id, s := range ss.all {
		if s.last <= ss.floor {
			delete(ss.all, id)
		}
	}
}
