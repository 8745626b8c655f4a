package beads

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// record is the JSON object of a line, with its members in order.
type record []member

type member struct {
	key   string
	value jsontext.Value
	at    int // offset of the value in its line
}

// lenient reads like bd: of duplicate keys the last counts, and invalid UTF-8 is replaced.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

var errNoObject = errors.New("is no JSON object")

// parseRecord reads a line.
func parseRecord(raw []byte) (record, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient...)
	if dec.PeekKind() != '{' {
		if _, err := dec.ReadValue(); err != nil {
			return nil, err
		}
		return nil, errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var r record
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		r = append(r, member{name, value.Clone(), int(dec.InputOffset()) - len(value)})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("has something after its object")
	}
	return r, nil
}

// get returns the value of a key, nil when it is not there.
func (r record) get(key string) jsontext.Value {
	for _, m := range slices.Backward(r) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set sets the value of a key. A new key goes where bd writes it; nil removes the key.
func (r *record) set(key string, value jsontext.Value) {
	at := slices.IndexFunc(*r, func(m member) bool { return m.key == key })
	switch {
	case value == nil:
		*r = slices.DeleteFunc(*r, func(m member) bool { return m.key == key })
	case at >= 0:
		rest := slices.DeleteFunc((*r)[at+1:], func(m member) bool { return m.key == key })
		(*r)[at].value = value
		*r = (*r)[:at+1+len(rest)]
	default:
		place := slices.Index(order, key)
		at = slices.IndexFunc(*r, func(m member) bool { return slices.Index(order, m.key) > place })
		if at < 0 {
			at = len(*r)
		}
		*r = slices.Insert(*r, at, member{key: key, value: value})
	}
}

// setText sets a text; like bd, it removes an empty text.
func (r *record) setText(key, text string) {
	if text == "" {
		r.set(key, nil)
		return
	}
	r.set(key, encode(text))
}

// bytes returns the record as a line.
func (r record) bytes() []byte {
	b := []byte("{")
	for i, m := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.key)...), ':'), m.value...)
	}
	return append(b, '}')
}

// encode returns a value on one line, without HTML escapes.
func encode(v any) jsontext.Value {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // v is a text, a number or a list of texts
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// order is the order in which bd writes the fields of an issue.
var order = []string{
	"id", "title", "description", "design", "acceptance_criteria", "notes", "spec_id", "status", "priority", "issue_type", "assignee",
	"owner", "estimated_minutes", "created_at", "created_by", "updated_at", "started_at", "closed_at", "close_reason", "closed_by_session",
	"due_at", "defer_until", "external_ref", "source_system", "metadata", "compaction_level", "compacted_at", "compacted_at_commit",
	"original_size", "labels", "dependencies", "comments",
}
