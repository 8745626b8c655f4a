// Package jsonread reads JSON values of the usual types without reflection, and long lists with all processors, as a board
// has thousands of tasks.
package jsonread

import (
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mailru/easyjson/jlexer"
)

// Lenient reads as encoding/json does: of duplicate keys the last counts, and invalid UTF-8 is replaced.
var Lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Reader reads a valid JSON text, value by value. The first error ends all reading, and is the Lexer's.
type Reader struct {
	jlexer.Lexer
	text strings.Builder // the last strings that were read; each is a part of it
	list []string        // for reuse
}

// NewReader returns a Reader of a text, which must not change while it is read.
func NewReader(raw []byte) *Reader { return &Reader{Lexer: jlexer.Lexer{Data: raw}} }

// Unmarshal reads a valid text into a new value, with read. The value takes the place of the one at into if there was no
// error.
func Unmarshal[T any](text []byte, into *T, read func(value *T, r *Reader)) error {
	var value T
	r := NewReader(text)
	if read(&value, r); r.Ok() {
		*into = value
	}
	return r.Error()
}

// Kind returns the kind of the next value, or of the end of a list or object.
func (r *Reader) Kind() jlexer.TokenKind {
	r.IsNull() // which fetches it
	return r.CurrentToken()
}

// IsObject reports whether the next value is an object.
func (r *Reader) IsObject() bool { return r.Kind() == jlexer.TokenDelim && r.IsDelim('{') }

// Object reads an object. It calls read for each field, with its key, which is valid until read returns; read has to read
// the value.
func (r *Reader) Object(read func(key string)) {
	r.Delim('{')
	for !r.IsDelim('}') {
		key := valid(r.UnsafeFieldName(false))
		r.WantColon()
		read(key)
		r.WantComma()
	}
	r.Delim('}')
}

// List reads a list. It calls read for each value, which read has to read.
func (r *Reader) List(read func()) {
	r.Delim('[')
	for !r.IsDelim(']') {
		read()
		r.WantComma()
	}
	r.Delim(']')
}

// Any reads any value by reflection.
func (r *Reader) Any(into any) {
	if raw := r.Raw(); r.Ok() {
		if err := jsonv2.Unmarshal(raw, into, Lenient); err != nil {
			r.AddError(err)
		}
	}
}

// Value reads a value into the variable that into points to. The usual values of the types below are read without
// reflection.
func (r *Reader) Value(into any) {
	kind := r.Kind()
	switch to := into.(type) {
	case *string:
		if kind == jlexer.TokenString {
			r.string(to)
			return
		}
	case *time.Time:
		if kind == jlexer.TokenString {
			r.AddError(to.UnmarshalText(r.UnsafeBytes()))
			return
		}
	case *int:
		if kind == jlexer.TokenNumber {
			*to = r.Int()
			return
		}
	case *uint64:
		if kind == jlexer.TokenNumber {
			*to = r.Uint64()
			return
		}
	case *[]string:
		if kind == jlexer.TokenDelim && r.IsDelim('[') {
			r.strings(to)
			return
		}
	case *map[string]any:
		if r.IsObject() {
			r.fields(to)
			return
		}
	}
	r.Any(into)
}

// together is how many bytes of strings share their memory: few enough that a string which is kept for long keeps little
// else.
const together = 1024

// keep returns s as a string.
func (r *Reader) keep(s string) string {
	if r.text.Cap()-r.text.Len() < len(s) {
		r.text.Reset()
		r.text.Grow(len(s) + min(together, len(r.Data)-r.GetPos()))
	}
	start := r.text.Len()
	r.text.WriteString(s)
	return r.text.String()[start:]
}

// string reads a string.
func (r *Reader) string(into *string) { *into = r.keep(valid(r.UnsafeString())) }

// valid returns s with each invalid byte replaced.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func (r *Reader) strings(into *[]string) {
	r.list = r.list[:0]
	r.List(func() {
		r.list = append(r.list, "")
		r.Value(&r.list[len(r.list)-1])
	})
	*into = append(make([]string, 0, len(r.list)), r.list...)
}

func (r *Reader) fields(into *map[string]any) {
	all := map[string]any{}
	*into = all
	r.Object(func(key string) {
		name := r.keep(key)
		switch r.Kind() {
		case jlexer.TokenString:
			var value string
			r.string(&value)
			all[name] = value
		case jlexer.TokenNumber:
			all[name] = r.Float64()
		default:
			var value any
			r.Any(&value)
			all[name] = value
		}
	})
}
