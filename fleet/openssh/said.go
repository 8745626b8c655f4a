package openssh

import "strings"

// ShortLine returns what a machine printed as one short line.
func ShortLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if r := []rune(text); len(r) > 500 {
		text = "… " + string(r[len(r)-500:])
	}
	if text == "" {
		text = "it does not say why"
	}
	return text
}
