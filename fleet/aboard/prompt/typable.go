package prompt

import (
	"strings"
	"unicode"
)

// Typable removes what cannot be typed as text: all control characters except newline and tab. So a message can
// neither press keys nor end the paste that contains it. Each line ends in a single newline.
func Typable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "�"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
