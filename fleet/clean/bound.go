package clean

import "strings"

// Bound makes text from outside fit to be kept: valid UTF-8, and the beginning of it where it has more than so many bytes. Who shows it takes
// out what a terminal would act on.
func Bound(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
