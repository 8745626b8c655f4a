package term

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// joins keeps apart what terminals may join: two cells may hold the parts of what is
// one character to some terminals, such as a hand and a colour of skin.
type joins struct {
	last  rune   // the last cell, when it is a simple one; none at the start
	tail  []byte // the text of the last cells, when they may join with the next
	width int
}

// maxTail is how many bytes may join.
const maxTail = 4 * maxCluster

// simple says that the last cell shows r, which joins with nothing that follows but
// what joins with everything.
func (j *joins) simple(r rune) { j.last, j.tail = r, j.tail[:0] }

// open reports whether the last cells may join with what follows.
func (j *joins) open() bool { return len(j.tail) > 0 }

// append appends the text of a cell, or of that what everyone agrees is width columns
// wide, alone and behind the cells before it.
func (j *joins) append(dst, text []byte, width int) []byte {
	for _, t := range [...][]byte{text, withoutSelectors(text), firstCharacter(text)} {
		if len(t) > 0 && harmless(t) && hasAgreedWidth(t, width) && j.keepsWidth(t, width) {
			return append(dst, t...)
		}
	}
	j.simple(' ')
	return appendBlanks(dst, width)
}

// keepsWidth reports whether text keeps its width behind the cells before it and before one
// that follows, and if so counts it among them.
func (j *joins) keepsWidth(text []byte, width int) bool {
	if !j.open() {
		if j.last == 0 {
			j.last = ' '
		}
		j.tail = utf8.AppendRune(j.tail, j.last)
		j.width = max(1, runeWidth(j.last))
	}
	n := len(j.tail)
	both := append(j.tail, text...)
	width += j.width
	if len(both) > maxTail || !hasAgreedWidth(both, width) || !hasAgreedWidth(append(both, ' '), width+1) {
		return false
	}
	if cluster, _ := ansi.FirstGraphemeCluster(both, ansi.GraphemeWidth); len(cluster) <= n {
		// Nothing that follows joins with what came before text.
		both, width = append(both[:0], text...), width-j.width
	}
	j.tail, j.width = both, width
	return true
}

// hasAgreedWidth reports whether text is width columns wide, counted by grapheme clusters and
// counted by characters.
func hasAgreedWidth(text []byte, width int) bool {
	t := string(text)
	return ansi.StringWidth(t) == width && ansi.StringWidthWc(t) == width
}

// withoutSelectors returns text without the selectors that ask for an emoji or for none.
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

// harmless reports whether text has nothing but what is printed: no controls, and
// nothing that turns the direction of text.
func harmless(text []byte) bool {
	for _, r := range string(text) {
		if r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return false
		}
	}
	return true
}

// standsAlone reports whether r is a character that does not join with the next one, nor
// with a simple one before it, and has one width everywhere, as most are.
func standsAlone(r rune) bool {
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
