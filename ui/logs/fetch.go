package logs

import (
	"os"
	"slices"
)

// ReadWords reads the text of records. A record that is no longer in its file says so.
func ReadWords(files []File, refs []Ref) map[int64]*Line {
	lines := make(map[int64]*Line, len(refs))
	readRefs(files, refs, func() bool { return false }, func(ref Ref, raw []byte) {
		if l, ok := Parse(raw); ok && l.Words != "" {
			l.Data = nil
			lines[ref.Seq] = &l
		}
	})
	for _, ref := range refs {
		if lines[ref.Seq] == nil {
			l := &Line{Words: "this line is gone from the log"}
			l.Ship, l.Kind = files[ref.File].Ship, "note"
			lines[ref.Seq] = l
		}
	}
	return lines
}

// Limits for reading records that are close together in one step.
const (
	nearBy  = 64 << 10
	longest = 2 << 20
)

// readRefs reads records, file by file, until stop returns true. It skips what it cannot read.
func readRefs(files []File, refs []Ref, stop func() bool, each func(Ref, []byte)) {
	refs = slices.Clone(refs)
	slices.SortStableFunc(refs, func(a, b Ref) int {
		if a.File != b.File {
			return a.File - b.File
		}
		return int(max(-1, min(1, a.Offset-b.Offset)))
	})
	var buf []byte
	for len(refs) > 0 && !stop() {
		n := 1
		for n < len(refs) && refs[n].File == refs[0].File {
			n++
		}
		if f, err := os.Open(files[refs[0].File].Path); err == nil {
			buf = readRuns(f, refs[:n], buf, stop, each)
			f.Close()
		}
		refs = refs[n:]
	}
}

// readRuns reads records of one file, in order of their offsets. It returns its buffer for the next
// call.
func readRuns(f *os.File, refs []Ref, buf []byte, stop func() bool, each func(Ref, []byte)) []byte {
	for len(refs) > 0 && !stop() {
		from := refs[0].Offset
		to := from + int64(refs[0].Length)
		n := 1
		for n < len(refs) && refs[n].Offset-to < nearBy && refs[n].Offset+int64(refs[n].Length)-from < longest {
			to = max(to, refs[n].Offset+int64(refs[n].Length))
			n++
		}
		if int64(cap(buf)) < to-from {
			buf = make([]byte, to-from)
		}
		got, _ := f.ReadAt(buf[:to-from], from)
		for _, ref := range refs[:n] {
			at := int(ref.Offset - from)
			if at+ref.Length <= got {
				each(ref, buf[at:at+ref.Length])
			}
		}
		refs = refs[n:]
	}
	return buf
}
