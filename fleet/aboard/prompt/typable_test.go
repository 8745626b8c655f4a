package prompt

import (
	"strings"
	"testing"
)

// A message keeps its text, and loses everything that could act as a key.
func FuzzTypable(f *testing.F) {
	f.Add("hello\r\nworld\x1b[201~\x03")
	f.Fuzz(func(t *testing.T, in string) {
		out := Typable(in)
		if strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%q became %q", in, out)
		}
		if Typable(out) != out {
			t.Fatalf("%q is not stable", in)
		}
	})
}
