package planfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// The largest files of a plan that are read, in bytes. Plans need far less.
const (
	maxJSON   = 1 << 20
	maxScript = 1 << 20
	maxSpec   = 4 << 20
)

// readFile returns a text file of the plan, without a byte order mark. If the file is unusable, it
// reports why and returns false.
func (r *reader) readFile(name string, most int64, missing string) ([]byte, bool) {
	bad := func(problem, fix string) ([]byte, bool) {
		r.report(Defect{Severity: Error, File: name, Problem: problem, Fix: fix})
		return nil, false
	}
	info, err := fs.Stat(r.files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bad("is missing", missing)
	case err != nil:
		return bad(reason(err), "put the file itself into the plan directory, readable for you")
	case !info.Mode().IsRegular():
		return bad("is not a regular file", "put a regular file there")
	case info.Size() > most:
		return bad(fmt.Sprintf("has %d bytes, more than %d", info.Size(), most), "make it smaller; large inputs belong into the repository")
	}
	f, err := r.files.Open(name)
	if err != nil {
		return bad(reason(err), "make the file readable")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return bad(reason(err), "make the file readable")
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := invalid(data); at >= 0 {
		line, column := position(data, at)
		r.report(Defect{Severity: Error, File: name, Line: line, Column: column, Problem: "is not UTF-8 text", Fix: "save it as UTF-8"})
		return nil, false
	}
	return data, true
}

// invalid returns the offset of the first invalid UTF-8, or -1.
func invalid(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// reason returns what an error of the file system means, without the path.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read by you"
	}
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	if strings.Contains(err.Error(), "escapes") {
		return "is a link that leads out of the plan directory"
	}
	return err.Error()
}
