// Package jsonout writes values as the JSON that ocaptain prints, and describes that JSON by a schema: names are camelCase, times RFC 3339 in
// UTC, durations seconds, and no list or map is null. Files of ocaptain and of the seed's plans have other names and units, which their types keep.
package jsonout

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"ocaptain/tasks/pattern"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the JSON. It grows when a field goes or changes, not when a field is added.
const Version = 1

// Marshal returns v as JSON in one line.
func Marshal(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := writer{jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out), map[reflect.Type]map[string]reflect.Type{}}
	if err := w.copyValue(reflect.TypeOf(v)); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// writer copies JSON from encoding/json, guided by the type of the value.
type writer struct {
	from   *jsontext.Decoder
	to     *jsontext.Encoder
	fields map[reflect.Type]map[string]reflect.Type // types of the fields of each struct that was needed so far, by name
}

// copyValue copies one value of type t; nil is any type.
func (w *writer) copyValue(t reflect.Type) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch w.from.PeekKind() {
	case '{':
		return w.copyObject(t)
	case '[':
		return w.copyArray(t)
	}
	v, err := w.from.ReadValue()
	switch {
	case err != nil:
		return err
	case v.Kind() == '0' && t == reflect.TypeFor[time.Duration]():
		return w.writeSeconds(v)
	case v.Kind() == '"' && t == reflect.TypeFor[time.Time]():
		return w.writeTime(v)
	case v.Kind() == 'n' && isList(t):
		v = jsontext.Value("[]")
	case v.Kind() == 'n' && t != nil && t.Kind() == reflect.Map:
		v = jsontext.Value("{}")
	}
	return w.to.WriteValue(v)
}

func (w *writer) writeSeconds(v jsontext.Value) error {
	var d time.Duration
	if err := json.Unmarshal(v, &d); err != nil {
		return err
	}
	return w.to.WriteToken(jsontext.Float(d.Seconds()))
}

func (w *writer) writeTime(v jsontext.Value) error {
	var at time.Time
	if err := json.Unmarshal(v, &at); err != nil {
		return err
	}
	return w.to.WriteToken(jsontext.String(at.UTC().Format(time.RFC3339Nano)))
}

// isList reports whether a value of type t is a JSON array.
func isList(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// copyObject copies an object of type t: a struct, a map, or a type that marshals itself.
func (w *writer) copyObject(t reflect.Type) error {
	if err := w.copyToken(); err != nil {
		return err
	}
	for w.from.PeekKind() != '}' {
		token, err := w.from.ReadToken()
		if err != nil {
			return err
		}
		name, of := token.String(), elem(t)
		if t != nil && t.Kind() == reflect.Struct {
			if field, ok := w.fieldsOf(t)[name]; ok {
				name, of = camel(name), field
			}
		}
		if err := w.to.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := w.copyValue(of); err != nil {
			return err
		}
	}
	return w.copyToken()
}

func (w *writer) copyArray(t reflect.Type) error {
	if err := w.copyToken(); err != nil {
		return err
	}
	for w.from.PeekKind() != ']' {
		if err := w.copyValue(elem(t)); err != nil {
			return err
		}
	}
	return w.copyToken()
}

func (w *writer) copyToken() error {
	token, err := w.from.ReadToken()
	if err != nil {
		return err
	}
	return w.to.WriteToken(token)
}

// fieldsOf returns the types of a struct's fields by their names in JSON.
func (w *writer) fieldsOf(t reflect.Type) map[string]reflect.Type {
	all, ok := w.fields[t]
	if ok {
		return all
	}
	all = map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = f.Type
		}
	}
	w.fields[t] = all
	return all
}

// elem returns the type of the elements of a t, nil when t does not say.
func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	default:
		return nil
	}
}

var underscore = pattern.New(`_[a-z]`)

// camel returns a name in camelCase.
func camel(name string) string {
	return underscore().ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}
