package clean

import "strings"

// MaxText bounds a text from outside in the journal, in a log and in a note, in bytes.
const MaxText = 8 << 10

// Bound returns text from outside in a form that may be stored: valid UTF-8, and at most that many bytes of it. Whoever shows it must still
// clean it.
func Bound(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Tail returns the last n bytes of s, from the beginning of a line if there is one.
func Tail(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		s = s[i+1:]
	}
	return "…\n" + strings.ToValidUTF8(s, "\uFFFD")
}
