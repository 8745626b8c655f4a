package clean

import (
	"regexp"
	"strings"
	"unicode"

	"ocaptain/tasks/pattern"
)

var (
	betweenPlain = pattern.New(`[^a-z0-9]+`)
	between      = pattern.New(`[^\pL\pN\pM]+`) // a mark belongs to the letter before it
)

// Slug returns the words of a text's first line as a part of a file name: lower-case ASCII letters and digits, with single
// dashes between words. It has at most that many bytes and, if possible, only whole words. It is "" if the line has no such
// letters.
func Slug(text string, most int) string { return slug(text, most, betweenPlain()) }

// BranchSlug is Slug for a part of a branch name, with at most that many letters and digits of any script.
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
	if whole == 0 { // the first word is too long
		for whole = most; whole > 0 && unicode.IsMark(s[whole]); {
			whole--
		}
	}
	return string(s[:whole])
}
