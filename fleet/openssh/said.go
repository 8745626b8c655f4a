package openssh

import (
	"strings"
	"unicode"
)

// Tidy makes one short line of what a machine said, fit to be shown.
func Tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 500 {
		text = "… " + string(r[len(r)-500:])
	}
	if text == "" {
		text = "it does not say why"
	}
	return text
}
