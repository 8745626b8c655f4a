package tasks

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
)

// How json.MarshalIndent writes a field "tasks" behind others, at two spaces a level. Nothing deeper is indented like that.
const (
	listField = ",\n  \"tasks\": "
	listStart = "[\n    {"
	listNext  = "},\n    {"
	listEnd   = "}\n  ]"
)

// CutList removes the field "tasks" from an object that json.MarshalIndent wrote with two spaces a level, and returns what is left,
// and the tasks: each processor decodes a part of them. It may change raw. It leaves an object alone that has no tasks.
func CutList(raw []byte) (rest []byte, all []State, err error) {
	start := bytes.Index(raw, []byte(listField+listStart))
	if start < 0 {
		return raw, nil, nil
	}
	list := raw[start+len(listField):]
	end := bytes.Index(list, []byte(listEnd)) + len(listEnd)
	if end < len(listEnd) {
		return raw, nil, nil
	}
	rest, list = slices.Concat(raw[:start], list[end:]), list[:end]

	all = make([]State, 1+bytes.Count(list, []byte(listNext)))
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
			err := jsonv2.Unmarshal(part, &into, lenient)
			if err == nil && len(into) != count {
				err = errors.New("the tasks are not indented as json.MarshalIndent does")
			}
			errs[n-1] = err
		})
	}
	parts.Wait()
	return rest, all, errors.Join(errs...)
}
