package jsonread_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"ocaptain/tasks/jsonread"
)

// FuzzValue reads any valid text into a variable of each type. A Reader reads what encoding/json reads, and refuses what that refuses.
func FuzzValue(f *testing.F) {
	for _, text := range []string{
		`"a"`, `"\u00e9\n"`, "\"\xff\"", "\"\xc3\xa9\"", "\"\x1f\"", `"a`, `null`, `true`, `7`, ` 7 `, `7 8`, `07`, `-7`, `1e3`, `0`, `123456789012345`, `1234567890123456`,
		`[]`, `["a", null,"\\"]`, `["a",]`, `["a" "b"]`, `[1]`, `[`, `{}`, `{"a":"b","c":[1,{"d":null}],"n":2}`, `{"\u0061":1,"a":"b"}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":1`,
		`"2026-11-30T01:02:03.000000004Z"`, `"2026-11-30T01:02:03+01:00"`, `"2026-11-30"`, `"2026-11-30t01:02:03,5z"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		for _, kind := range []reflect.Type{
			reflect.TypeFor[string](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]any](), reflect.TypeFor[int](), reflect.TypeFor[uint64](), reflect.TypeFor[time.Time](),
		} {
			got, want := reflect.New(kind), reflect.New(kind)
			r := jsonread.NewReader(text)
			r.Value(got.Interface())
			r.Consumed()
			bad := r.Error()
			whole := bad == nil
			err := json.Unmarshal(text, want.Interface())
			if whole != (err == nil) {
				t.Fatalf("%q as %s: %v, encoding/json says %v", text, kind, bad, err)
			}
			if whole && !reflect.DeepEqual(got.Interface(), want.Interface()) {
				t.Fatalf("%q as %s: %v, encoding/json reads %v", text, kind, got.Elem(), want.Elem())
			}
		}
	})
}
