package mailbox

import (
	"strings"
	"unicode"
)

// Legible reports whether a text contains anything visible. A text without is no message.
func Legible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
