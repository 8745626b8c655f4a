package columns

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Joins separates cells that terminals might join: two cells may hold parts of a single character
// to some terminals, such as a hand and a skin colour.
type Joins struct {
	last  rune   // the last cell's rune, if that cell is simple; 0 at the start
	tail  []byte // the text of the last cells, if it may join with the next cell
	width int
}

// maxTail bounds the text that may join, in bytes.
const maxTail = 4 * MaxCluster

// Simple records that the last cell shows r. r joins only with characters that join with
// everything.
func (j *Joins) Simple(r rune) { j.last, j.tail = r, j.tail[:0] }

// Open reports whether the last cells may join with the next.
func (j *Joins) Open() bool { return len(j.tail) > 0 }

// Append appends the text of a cell, reduced to what all terminals show width columns wide, both
// alone and after the cells before.
func (j *Joins) Append(dst, text []byte, width int) []byte {
	for _, t := range [...][]byte{text, withoutSelectors(text), firstCharacter(text)} {
		if len(t) > 0 && harmless(t) && HasAgreedWidth(t, width) && j.keepsWidth(t, width) {
			return append(dst, t...)
		}
	}
	j.Simple(' ')
	return AppendBlanks(dst, width)
}

// keepsWidth reports whether text keeps its width after the cells before it and before another
// cell. If so, it adds text to the last cells.
func (j *Joins) keepsWidth(text []byte, width int) bool {
	if !j.Open() {
		if j.last == 0 {
			j.last = ' '
		}
		j.tail = utf8.AppendRune(j.tail, j.last)
		j.width = max(1, Of(j.last))
	}
	n := len(j.tail)
	both := append(j.tail, text...)
	width += j.width
	if len(both) > maxTail || !HasAgreedWidth(both, width) || !HasAgreedWidth(append(both, ' '), width+1) {
		return false
	}
	if cluster, _ := ansi.FirstGraphemeCluster(both, ansi.GraphemeWidth); len(cluster) <= n {
		// Characters after text join with text alone.
		both, width = append(both[:0], text...), width-j.width
	}
	j.tail, j.width = both, width
	return true
}

// HasAgreedWidth reports whether text is width columns wide both by grapheme clusters and by
// characters.
func HasAgreedWidth(text []byte, width int) bool {
	t := string(text)
	return ansi.StringWidth(t) == width && ansi.StringWidthWc(t) == width
}

// withoutSelectors returns text without the selectors of emoji and text style.
func withoutSelectors(text []byte) []byte {
	var kept []byte
	for _, r := range string(text) {
		if r < 0xfe00 || r > 0xfe0f {
			kept = utf8.AppendRune(kept, r)
		}
	}
	return kept
}

// firstCharacter returns the first character of text.
func firstCharacter(text []byte) []byte {
	_, n := utf8.DecodeRune(text)
	return text[:n]
}

// harmless reports whether text is printable: without control characters and changes of text
// direction.
func harmless(text []byte) bool {
	for _, r := range string(text) {
		if r != Joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return false
		}
	}
	return true
}

// StandsAlone reports whether r never joins with the next character, nor with a simple character
// before it, and has the same width on all terminals. Most characters do.
func StandsAlone(r rune) bool {
	switch {
	case r < 0xa1, r == 0xa9, r == 0xad, r == 0xae:
		return false
	case r < 0x300, r >= 0x391 && r < 0x482: // Latin, Greek, Cyrillic
		return true
	case r >= 0x2010 && r < 0x2028, r >= 0x2200 && r < 0x2300: // punctuation, mathematics
		return true
	case r >= 0x2190 && r < 0x2194, r >= 0x239b && r < 0x23cf: // arrows, brackets
		return true
	case r >= 0x2500 && r < 0x25aa, r >= 0x2801 && r < 0x2900: // line drawing, blocks, Braille
		return true
	case r >= 0x30a1 && r < 0x30fb, r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4:
		return true // Katakana, Han, Hangul
	}
	return false
}

// MaxCluster bounds a cell's text, in bytes; marks beyond it are dropped.
const MaxCluster = 21

const spaces = "                                                                "

// AppendBlanks appends n blanks.
func AppendBlanks(dst []byte, n int) []byte {
	for ; n > len(spaces); n -= len(spaces) {
		dst = append(dst, spaces...)
	}
	return append(dst, spaces[:n]...)
}

// Joiner joins the characters before and after it.
const Joiner = '\u200d'
