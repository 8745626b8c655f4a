package clean

import (
	"regexp"
	"strings"
	"unicode"

	"ocaptain/tasks/pattern"
)

var (
	betweenPlain = pattern.New(`[^a-z0-9]+`)
	between      = pattern.New(`[^\pL\pN\pM]+`) // a mark belongs to its letter
)

// Slug returns the words of the first line of a text as a part of a file's name: small letters and digits of ASCII, and single
// dashes, in at most so many bytes, if possible whole words. It is "" when there are none.
func Slug(text string, most int) string { return slug(text, most, betweenPlain()) }

// BranchSlug is Slug for a part of a branch's name, in at most so many letters and digits of any script.
func BranchSlug(text string, most int) string { return slug(text, most, between()) }

func slug(text string, most int, between *regexp.Regexp) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(text)), "\n")
	s := []rune(strings.Trim(between.ReplaceAllString(line, "-"), "-"))
	if len(s) <= most {
		return string(s)
	}
	whole := most
	for whole > 0 && s[whole] != '-' {
		whole--
	}
	if whole == 0 { // one long word
		for whole = most; whole > 0 && unicode.IsMark(s[whole]); {
			whole--
		}
	}
	return string(s[:whole])
}
