package clean

import (
	"strings"

	"ocaptain/tasks/pattern"
)

// between is what separates words.
var between = pattern.New(`[^a-z0-9]+`)

// Slug returns the words of the first line of a text as a part of a file's or a branch's name: small letters, digits and single
// dashes, in at most so many bytes, if possible whole words. It is "" when there are none.
func Slug(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(text)), "\n")
	s := strings.Trim(between().ReplaceAllString(line, "-"), "-")
	if len(s) > most {
		whole := strings.LastIndexByte(s[:most+1], '-')
		if whole < 0 {
			whole = most // one long word
		}
		s = s[:whole]
	}
	return s
}
