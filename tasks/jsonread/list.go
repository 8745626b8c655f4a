package jsonread

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
)

// How json.MarshalIndent writes a field, which is not the first, with a list of objects, at two spaces a level. Nothing deeper is
// indented like that.
const (
	listField = ",\n  %q: "
	listStart = "[\n    {"
	listNext  = "},\n    {"
	listEnd   = "}\n  ]"
)

// CutList removes a field, a list of objects, from an object that json.MarshalIndent wrote with two spaces a level. It returns
// what is left and the objects: each processor decodes a part of them. It may change raw. If the object has no such field or that
// is an empty list, CutList returns raw and no objects.
func CutList[T any](raw []byte, field string) (rest []byte, all []T, err error) {
	name := fmt.Sprintf(listField, field)
	start := bytes.Index(raw, []byte(name+listStart))
	if start < 0 {
		return raw, nil, nil
	}
	list := raw[start+len(name):]
	end := bytes.Index(list, []byte(listEnd)) + len(listEnd)
	if end < len(listEnd) {
		return raw, nil, nil
	}
	rest, list = slices.Concat(raw[:start], list[end:]), list[:end]

	all = make([]T, 1+bytes.Count(list, []byte(listNext)))
	errs := make([]error, runtime.GOMAXPROCS(0))
	var parts sync.WaitGroup
	for n, todo := len(errs), all; len(todo) > 0; n-- {
		part := list
		if at := bytes.Index(list[len(list)/n:], []byte(listNext)); at >= 0 {
			part = list[:len(list)/n+at+len("},")]
			list = list[len(part):]
			part[len(part)-1], list[0] = ']', '[' // in place of a comma and a newline
		}
		count := 1 + bytes.Count(part, []byte(listNext))
		into := todo[:0:count]
		todo = todo[count:]
		parts.Go(func() {
			err := jsonv2.Unmarshal(part, &into, Lenient)
			if err == nil && len(into) != count {
				err = errors.New("the list is not indented as by json.MarshalIndent")
			}
			errs[n-1] = err
		})
	}
	parts.Wait()
	return rest, all, errors.Join(errs...)
}
