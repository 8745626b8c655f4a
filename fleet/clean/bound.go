package clean

import "strings"

// Bound returns text from outside in a form that may be stored: valid UTF-8, and at most that many bytes of it. Whoever shows it must still
// clean it.
func Bound(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
