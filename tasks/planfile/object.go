package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// object is a JSON object of a plan. It knows the offset of every value in its file.
type object struct {
	file   string
	data   []byte
	fields map[string]field
	taken  map[string]bool // the fields that were decoded
	report func(Defect)
}

type field struct {
	value json.RawMessage
	at    int // offset in the file
}

// parse reads data as one JSON object. It reports defects and returns nil when data is unreadable.
func parse(file string, data []byte, report func(Defect)) *object {
	o := &object{file, data, map[string]field{}, map[string]bool{}, report}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		at := 0
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = max(0, int(syntax.Offset)-1) // Offset is the offset of the next byte
		}
		if len(bytes.TrimSpace(data)) == 0 {
			err = errors.New("the file is empty")
		}
		line, column := position(data, at)
		report(Defect{Severity: Error, File: file, Line: line, Column: column, Problem: "unreadable JSON: " + err.Error(), Fix: "correct the JSON there"})
		return nil
	}
	if kind := kindOf(bytes.TrimSpace(whole)); kind != "an object" {
		o.defect(Error, "", "is "+kind+", not an object", "put the fields between { and }")
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	_, _ = decoder.Token() // the opening brace; data is valid JSON, so there is no error
	for decoder.More() {
		key, _ := decoder.Token()
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			break
		}
		name, _ := key.(string)
		_, twice := o.fields[name]
		o.fields[name] = field{value, int(decoder.InputOffset()) - len(value)}
		if twice {
			o.defect(Warning, name, "is there twice; the last one counts", "remove one of them")
		}
	}
	return o
}

// decodeField decodes the value of key and marks the field as known. It returns false when the field is missing, null
// or of the wrong type. If the type is wrong, it reports a defect that says must.
func (o *object) decodeField(key string, into any, must string) bool {
	o.taken[key] = true
	f, ok := o.fields[key]
	if !ok || string(f.value) == "null" {
		return false
	}
	err := json.Unmarshal(f.value, into)
	if err == nil {
		return true
	}
	reflect.ValueOf(into).Elem().SetZero() // drop what was decoded before the error
	problem := "is " + kindOf(f.value)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(must, kindOf(f.value)) {
		problem = "holds a value of type " + wrong.Value
	}
	o.defect(Error, key, problem, "it must be "+must)
	return false
}

// hasField reports whether the object has the field.
func (o *object) hasField(key string) bool {
	_, ok := o.fields[key]
	return ok
}

// misspelt warns of unknown fields that look like known ones.
func (o *object) misspelt(names []string) {
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	for key := range o.fields {
		for _, name := range names {
			if key != name && strings.EqualFold(plain.Replace(key), plain.Replace(name)) {
				o.defect(Warning, key, "is not a known field and has no effect", fmt.Sprintf("call it %q", name))
			}
		}
	}
}

// unknownFields returns the fields that nothing decoded, nil when there are none.
func (o *object) unknownFields() map[string]json.RawMessage {
	var rest map[string]json.RawMessage
	for key, f := range o.fields {
		if o.taken[key] {
			continue
		}
		if rest == nil {
			rest = map[string]json.RawMessage{}
		}
		rest[key] = f.value
	}
	return rest
}

// defect reports a defect of a field, or of the whole file when name is "". The text after a dot in name is the part
// of the field.
func (o *object) defect(s Severity, name, problem, fix string) {
	d := Defect{Severity: s, File: o.file, Field: name, Problem: problem, Fix: fix}
	top, _, _ := strings.Cut(name, ".")
	if f, ok := o.fields[name]; ok {
		d.Line, d.Column = position(o.data, f.at)
	} else if f, ok := o.fields[top]; ok {
		d.Line, d.Column = position(o.data, f.at)
	}
	o.report(d)
}

// position turns an offset into line and column, both from 1.
func position(data []byte, at int) (line, column int) {
	before := data[:min(at, len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// kindOf returns the type of a JSON value in words.
func kindOf(value json.RawMessage) string {
	switch {
	case len(value) == 0:
		return "nothing"
	case value[0] == '{':
		return "an object"
	case value[0] == '[':
		return "a list"
	case value[0] == '"':
		return "a string"
	case value[0] == 't' || value[0] == 'f':
		return "true or false"
	case value[0] == 'n':
		return "null"
	}
	return "a number"
}
