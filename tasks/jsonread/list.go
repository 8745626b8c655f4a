package jsonread

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// How a field, which is not the first, with a list of objects begins and ends in an object that json.MarshalIndent wrote, at two
// spaces a level. Nothing deeper is indented like that, whether each object is indented too or is one line.
const (
	listField = ",\n  %q: "
	listStart = "[\n    {"
	listNext  = "},\n    {"
	listEnd   = "}\n  ]"
)

// readable is a pointer to a value that reads itself.
type readable[T any] interface {
	*T
	ReadJSON(r *Reader)
}

// CutList removes a field, a list of objects, from an object that is indented with two spaces a level. It returns
// the rest of the object at once. Each processor reads a part of the list in the meantime, and wait returns its objects. The caller
// must not use raw again. If the object has no such field or the list is empty, CutList returns raw, and wait returns no objects.
func CutList[T any, P readable[T]](raw []byte, field string) (rest []byte, wait func() ([]T, error)) {
	none := func() ([]T, error) { return nil, nil }
	name := fmt.Sprintf(listField, field)
	start := bytes.Index(raw, []byte(name+listStart))
	if start < 0 {
		return raw, none
	}
	list := raw[start+len(name):]
	end := bytes.Index(list, []byte(listEnd)) + len(listEnd)
	if end < len(listEnd) {
		return raw, none
	}
	rest = slices.Concat(raw[:start], list[end:])
	parts := split(list[:end], runtime.GOMAXPROCS(0))
	counts, sum := make([]int, len(parts)), 0
	for i, part := range parts {
		counts[i] = 1 + bytes.Count(part, []byte(listNext))
		sum += counts[i]
	}
	all, errs := make([]T, sum), make([]error, len(parts))
	var reading sync.WaitGroup
	for i, todo := 0, all; i < len(parts); i++ {
		into := todo[:counts[i]]
		todo = todo[counts[i]:]
		reading.Go(func() { errs[i] = readList[T, P](parts[i], into) })
	}
	return rest, func() ([]T, error) {
		reading.Wait()
		return all, errors.Join(errs...)
	}
}

// split splits a list into at most n lists of about the same length.
func split(list []byte, n int) (parts [][]byte) {
	for ; n > 1; n-- {
		at := bytes.Index(list[len(list)/n:], []byte(listNext))
		if at < 0 {
			break
		}
		part := list[:len(list)/n+at+len("},")]
		list = list[len(part):]
		part[len(part)-1], list[0] = ']', '[' // in place of a comma and a newline
		parts = append(parts, part)
	}
	return append(parts, list)
}

// readList reads a list of as many values as into holds.
func readList[T any, P readable[T]](raw []byte, into []T) error {
	r := NewReader(raw)
	n := 0
	r.List(func() {
		if n == len(into) {
			r.AddError(errLayout)
			return
		}
		P(&into[n]).ReadJSON(r)
		n++
	})
	r.Consumed()
	if r.Ok() && n != len(into) {
		return errLayout
	}
	return r.Error()
}

var errLayout = errors.New("the list is not laid out as boards are")
