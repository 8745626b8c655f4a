package beads

import (
	"bytes"
	"slices"
	"strings"

	"ocaptain/tasks/planfile"
)

// Bytes returns the file. Unchanged lines are as they were read.
func (f *File) Bytes() []byte { return f.Without(nil) }

// Without returns the file without these issues.
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

// Newer returns the issues that the other file lacks, or has in an older version.
func (f *File) Newer(than *File) *File {
	var old []string
	for _, i := range f.Issues() {
		if o := than.Issue(i.ID); o != nil && !i.Updated.After(o.Updated) {
			old = append(old, i.ID)
		}
	}
	return Read(f.Without(old))
}

// record returns the record of an issue, an empty record for an unknown issue.
func (f *File) record(id string) record {
	raw := f.raw(id)
	if raw == nil {
		return nil
	}
	r, _ := parseRecord(raw) // cannot fail: the line was parsed before
	return r
}

// putRaw sets the line of an issue. The line of a new issue goes before the first greater id.
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

// issueOf returns the issue on a readable line.
func issueOf(raw []byte) *Issue {
	return (&reader{report: func(planfile.Defect) {}}).read(raw)
}
