package beads

import (
	"bytes"
	"slices"
	"strings"

	"ocaptain/tasks/planfile"
)

// Bytes is the file. Lines that were not changed are as they were read.
func (f *File) Bytes() []byte { return f.Without(nil) }

// Without is the file without some issues.
func (f *File) Without(ids []string) []byte {
	var b bytes.Buffer
	for _, l := range f.lines {
		if l.issue == nil || !slices.Contains(ids, l.issue.ID) {
			b.Write(l.raw)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// Newer are the issues that are newer than in another file, or not there.
func (f *File) Newer(than *File) *File {
	var old []string
	for _, i := range f.Issues() {
		if o := than.Issue(i.ID); o != nil && !i.Updated.After(o.Updated) {
			old = append(old, i.ID)
		}
	}
	return Read(f.Without(old))
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
