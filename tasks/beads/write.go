package beads

import (
	"bytes"
	"slices"
	"strings"

	"ocaptain/tasks/planfile"
)

// Bytes is the file. Lines that were not changed are as they were read.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	for _, l := range f.lines {
		b.Write(l.raw)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// record is the record of an issue, an empty one when it is not there.
func (f *File) record(id string) record {
	raw := f.raw(id)
	if raw == nil {
		return nil
	}
	r, _ := parseRecord(raw) // it was read before
	return r
}

// putRaw makes a line that of an issue. A new one comes before the first that has a greater id.
func (f *File) putRaw(id string, raw []byte) {
	l := line{raw, issueOf(raw)}
	n, there := f.place[id]
	if there {
		f.lines[n] = l
		return
	}
	n = slices.IndexFunc(f.lines, func(l line) bool { return l.issue != nil && strings.Compare(l.issue.ID, id) > 0 })
	if n < 0 {
		n = len(f.lines)
	}
	f.lines = slices.Insert(f.lines, n, l)
	for other, at := range f.place {
		if at >= n {
			f.place[other] = at + 1
		}
	}
	f.place[id] = n
}

// issueOf is the issue of a line that can be read.
func issueOf(raw []byte) *Issue {
	return (&reader{report: func(planfile.Defect) {}}).read(raw)
}
