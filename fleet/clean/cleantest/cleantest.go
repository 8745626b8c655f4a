// Package cleantest provides hostile text, and checks that none of it gets through an exit, which is a place where
// text is shown.
package cleantest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ocaptain/fleet/clean"
)

// Hostile contains everything that must not reach a terminal: sequences that colour, set the title, paste, clear,
// query and draw, in 7 bits, in 8 bits and as characters; all control characters; marks that reverse text or are
// invisible; invalid UTF-8; and a separate line. It has no slash and no NUL, so that it can be a file name.
var Hostile = "evil\x1b[31;45;8mred\x1b]0;owned\a\x1b]52;c;ZXZpbA==\x1b\\\x1b]8;;x:y\x1b\\\x1bP1$r0m\x1b\\\x1b_apc\x1b\\\x1b^pm\x1b\\\x1b[2J\x1b[6n\x1bc\x1b(0" +
	"\u009b31;45;8m\u009d0;owned\u009c\u0090q\u009c\x9b7m\x9d\x90" + controls() +
	"\u202a\u202b\u202d\u202e\u202c\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\u3164\ufe0f\U000e0061" +
	"\xff\xfe\xc3\xed\xa0\x80\nFORGED\r\nFORGED\rFORGED\ttab"

// Long is longer than the longest line, and ends in the middle of an escape sequence.
var Long = strings.Repeat("long ", clean.Longest/5+1) + "\x1b[31;45;8m\x1bP"

// remains are what is still visible of Hostile's sequences when only the first character of each was removed.
var remains = []string{"[31;45;8m", "]0;owned", "]52;c", "]8;;", "P1$r", "[2J", "[6n"}

// escapes are that first character as quoted text has it.
var escapes = []string{`\x1b`, `\033`, `\u001b`}

func controls() string {
	var b strings.Builder
	for r := rune(1); r < 0xA0; r++ {
		if r < ' ' && r != 0x1b || r > '~' && (r < 0x90 || r > 0x9f) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Fill makes all strings in what v points to hostile: it appends Hostile, and Long in some places, so that equal
// strings stay equal. It leaves strings of a named type alone, as they are ocaptain's own words. With all set, it also
// fills empty strings.
func Fill(v any, all bool) {
	n := 0
	fill(reflect.ValueOf(v).Elem(), all, &n)
}

func fill(v reflect.Value, all bool, n *int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() || !v.CanSet() || !all && v.Len() == 0 {
			return
		}
		if *n++; *n%40 == 0 && v.Len() == 0 {
			v.SetString(Long)
		} else {
			v.SetString(v.String() + Hostile)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), all, n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), all, n)
			}
		}
	case reflect.Slice:
		if all && v.Len() == 0 && v.CanSet() && v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i), all, n)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			held := reflect.New(v.Type().Elem()).Elem()
			held.Set(v.MapIndex(key))
			fill(held, all, n)
			v.SetMapIndex(key, held)
		}
	}
}

// style matches the sequences for our own colours.
var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Kind is the kind of text that an exit shows.
type Kind int

// The kinds of exits.
const (
	Lines Kind = iota // text from outside never begins a line
	Texts             // texts of several lines
	JSON              // data of any length
)

// Check fails the test if the output of an exit contains more than plain text in our own colours.
func Check(t testing.TB, exit, out string, kind Kind) {
	t.Helper()
	for _, what := range remains {
		pieces := strings.Split(out, what) // with the race detector, a regular expression takes a third of a test's time
		for _, before := range pieces[:len(pieces)-1] {
			if !slices.ContainsFunc(escapes, func(e string) bool { return strings.HasSuffix(before, e) }) {
				t.Errorf("%s: %q is left after %q", exit, what, around(before, len(before)))
				break
			}
		}
	}
	plain := style.ReplaceAllString(out, "")
	if !utf8.ValidString(plain) {
		t.Errorf("%s: it is not valid UTF-8", exit)
	}
	for i, r := range plain {
		if r != '\n' && Unfit(r) {
			t.Errorf("%s: %U in %q", exit, r, around(plain, i))
			break
		}
	}
	for line := range strings.Lines(plain) {
		if kind == Lines && strings.HasPrefix(line, "FORGED") {
			t.Errorf("%s: a line of its own from outside in %q", exit, around(plain, strings.Index(plain, line)))
			break
		}
		if n := strings.Count(line, "long"); kind != JSON && n > clean.Longest/len("long ")+1 {
			t.Errorf("%s: a line that says it %d times", exit, n)
			break
		}
	}
}

// Unfit reports whether a character must not be shown. It does not use package clean, which it tests.
func Unfit(r rune) bool {
	return r != '\t' && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func around(s string, i int) string { return s[max(0, i-60):min(len(s), i+60)] }
