package prompt

import (
	"strings"
	"unicode"
)

// Typable keeps what can be typed as text: no control characters but newline and
// tab, so that a message can neither press keys nor end the paste that carries it.
// A line ends with a newline alone.
func Typable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "�"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
