// Package clean prepares text from outside for display, so that no escape sequence and no control character reaches
// the captain's terminal.
package clean

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Longest bounds a line, in bytes.
const Longest = 16 << 10

// Line returns s as one line: it removes escape sequences, control characters, characters that change the
// direction of text, and marks that pile up on one cell, turns tabs and line ends into a space, replaces invalid
// bytes, and cuts off everything past Longest.
func Line(s string) string {
	return cut(scrub(cut(s), func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return -1
	}))
}

// Word returns s for use as a short name: valid UTF-8, without line breaks, at most about 100 bytes. Whoever shows it must still call Line.
func Word(s string) string {
	const longest = 100
	if len(s) > longest {
		s = s[:longest] + "…"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}

// Text is Line for text of several lines, which keeps line ends and tabs.
func Text(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = cut(scrub(cut(l), tabs))
	}
	return strings.Join(lines, "\n")
}

// Whole is Text without a limit for the length of lines, for searching in a text.
func Whole(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = scrub(l, tabs)
	}
	return strings.Join(lines, "\n")
}

func tabs(r rune) rune {
	if r == '\t' {
		return r
	}
	return -1
}

// scrub removes what Line removes; control replaces a control character.
func scrub(s string, control func(rune) rune) string {
	if plain(s) {
		return s
	}
	s = ansi.Strip(escapes(strings.ToValidUTF8(s, "\uFFFD")))
	var piled marks
	return strings.Map(func(r rune) rune {
		switch {
		case piled.another(r):
			return -1
		case r == utf8.RuneError:
			return r
		case unicode.IsControl(r): // C0, DEL and C1
			return control(r)
		case hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// escapes replaces C1 controls, which some terminals obey, by their 7-bit escape sequences.
func escapes(s string) string {
	if !strings.ContainsFunc(s, c1) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if c1(r) {
			b.WriteByte(0x1b)
			r -= 0x40
		}
		b.WriteRune(r)
	}
	return b.String()
}

func c1(r rune) bool { return r >= 0x80 && r < 0xA0 }

// JSON escapes everything in raw that Line would remove. The result means the same, and contains nothing that a
// terminal may obey.
func JSON(raw []byte) []byte {
	var piled marks
	bad := func(r rune) bool { return piled.another(r) || r != '\n' && unfit(r) } // a newline can only be between values
	if bytes.IndexFunc(raw, bad) < 0 {
		return raw
	}
	piled = 0
	var b bytes.Buffer
	for _, r := range string(raw) {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// marks counts combining marks in a row, which terminals draw over one cell and its neighbours.
type marks int

// maxMarks is how many marks a cell may have. No script needs that many.
const maxMarks = 8

// another counts a rune and reports whether it is one mark too many.
func (m *marks) another(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		*m = 0
		return false
	}
	*m++
	return *m > maxMarks
}

// unfit reports whether a rune must not reach a terminal in a line of text.
func unfit(r rune) bool { return unicode.IsControl(r) || hidden(r) }

// plain reports whether s is printable ASCII, as most lines are, so that nothing has to be removed.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// hidden reports whether a rune is invisible, so that two names could look the same, or changes the text around it:
// format and filler characters of Unicode, line separators, and variation selectors, about whose width terminals
// disagree.
func hidden(r rune) bool {
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false // a visible format character
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// cut returns at most the first Longest bytes, without cutting a character in two.
func cut(s string) string {
	if len(s) <= Longest {
		return s
	}
	end := Longest
	for end > 0 && end > Longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
