package openssh

import "strings"

// ShortLine makes one short line of what a machine said.
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
