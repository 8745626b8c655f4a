package beads

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Merge merges two versions of a file. If both changed an issue, the version with the later update wins, but labels, dependencies
// and comments are merged: additions of both sides stay, and what either side removed is gone. Lines without an issue merge line by
// line.
func Merge(base, ours, theirs []byte) []byte {
	b, o, t := Read(base), Read(ours), Read(theirs)
	f := o.without(func(l line) bool { return gone(l, b, t) })
	for _, l := range t.lines {
		switch {
		case l.issue == nil:
			if !f.holds(l.raw) && !b.holds(l.raw) {
				f.lines = append(f.lines, l)
			}
		case t.raw(l.issue.ID) == nil || !bytes.Equal(t.raw(l.issue.ID), l.raw): // an older line with the same id
		case o.raw(l.issue.ID) == nil:
			if !bytes.Equal(b.raw(l.issue.ID), l.raw) {
				f.putRaw(l.issue.ID, l.raw)
			}
		default:
			f.putRaw(l.issue.ID, mergeLines(b.raw(l.issue.ID), o.raw(l.issue.ID), l.raw))
		}
	}
	return f.Bytes()
}

// gone reports whether to drop a line of one side: the other side removed it and this side did not change it.
func gone(l line, base, other *File) bool {
	if l.issue == nil {
		return base.holds(l.raw) && !other.holds(l.raw)
	}
	return other.raw(l.issue.ID) == nil && bytes.Equal(base.raw(l.issue.ID), l.raw)
}

// raw returns the line of an issue, nil when there is none.
func (f *File) raw(id string) []byte {
	if n, ok := f.place[id]; ok {
		return f.lines[n].raw
	}
	return nil
}

// holds reports whether the file has this line among its lines without an issue.
func (f *File) holds(raw []byte) bool {
	return slices.ContainsFunc(f.lines, func(l line) bool { return l.issue == nil && bytes.Equal(l.raw, raw) })
}

// without returns the file without the lines that drop selects.
func (f *File) without(drop func(line) bool) *File {
	rest := &File{place: map[string]int{}}
	for _, l := range f.lines {
		if !drop(l) {
			rest.add(l, len(rest.lines)+1)
		}
	}
	return rest
}

// mergeLines merges two versions of an issue.
func mergeLines(base, ours, theirs []byte) []byte {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours
	case bytes.Equal(base, ours):
		return theirs
	}
	newer, older := ours, theirs
	if compareLines(ours, theirs) < 0 {
		newer, older = theirs, ours
	}
	var b record
	if base != nil {
		b, _ = parseRecord(base)
	}
	r, _ := parseRecord(newer)
	o, _ := parseRecord(older)
	changed := false
	for _, key := range []string{"labels", "dependencies", "comments"} {
		was := r.get(key)
		all := mergeLists(b.get(key), was, o.get(key), listKey(key))
		if key == "labels" {
			slices.SortFunc(all, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
		}
		if value := list(all); !bytes.Equal(value, was) && (len(all) > 0 || was != nil) {
			r.set(key, value)
			changed = true
		}
	}
	if !changed {
		return newer
	}
	return r.bytes()
}

// compareLines orders two versions of an issue by the time of their update. With equal times, a closed version counts
// as newer.
func compareLines(a, b []byte) int {
	x, y := issueOf(a), issueOf(b)
	closed := func(i *Issue) int {
		if i.Status == Closed {
			return 1
		}
		return 0
	}
	return cmp.Or(x.Updated.Compare(y.Updated), closed(x)-closed(y), bytes.Compare(a, b))
}

// listKey returns a function that returns the part of a list's member by which it is recognised.
func listKey(field string) func(jsontext.Value) string {
	return func(v jsontext.Value) string {
		switch field {
		case "dependencies":
			var d Dependency
			_ = json.Unmarshal(v, &d)
			return d.Type + " " + d.DependsOn
		case "comments":
			var c comment
			_ = json.Unmarshal(v, &c)
			return c.Author + "\x00" + c.Created.String() + "\x00" + c.Text
		}
		return string(v)
	}
}

// mergeLists returns the members of both lists, except members of base that one side removed.
func mergeLists(base, ours, theirs jsontext.Value, key func(jsontext.Value) string) []jsontext.Value {
	b, o, t := members(base), members(ours), members(theirs)
	has := func(all []jsontext.Value, v jsontext.Value) bool {
		return slices.ContainsFunc(all, func(w jsontext.Value) bool { return key(w) == key(v) })
	}
	var all []jsontext.Value
	for _, v := range slices.Concat(o, t) {
		if !has(all, v) && (!has(b, v) || has(o, v) && has(t, v)) {
			all = append(all, v)
		}
	}
	return all
}

// members returns the members of a JSON list.
func members(v jsontext.Value) []jsontext.Value {
	var all []jsontext.Value
	_ = json.Unmarshal(v, &all) // cannot fail: the line was parsed before
	return all
}

// list returns a JSON list of values, nil for none.
func list(all []jsontext.Value) jsontext.Value {
	if len(all) == 0 {
		return nil
	}
	b := []byte("[")
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
