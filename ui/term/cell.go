package term

import (
	"ocaptain/ui/term/columns"
	"ocaptain/ui/term/sgr"
)

// Cell is a position of the screen as shown. The right half of a wide character is its own cell,
// without text and width.
type Cell struct {
	Text  string
	Width int
	Style sgr.Style
}

// cell is a position of a line in sixteen bytes; the zero cell is an unstyled blank.
//
//	text  bits 0–20 a rune, or with mark set the index of a cluster of its line; mark, the attributes, pad, wide
//	fg    a Color
//	bg    a Color
//	ul    a Color, and above it an Underline
type cell struct{ text, fg, bg, ul uint32 }

const (
	runeBits   = 1<<21 - 1
	mark       = 1 << 21 // the text is a cluster
	attrShift  = 22
	pad        = 1 << 30 // the right half of a wide character
	wide       = 1 << 31 // the left half
	colorMask  = 1<<sgr.ColorBits - 1
	ulineShift = sgr.ColorBits
)

// padding follows a wide character.
var padding = cell{text: pad}

func (c cell) attributes() sgr.Attr { return sgr.Attr(c.text >> attrShift) }

func (c *cell) set(a sgr.Attr)            { c.text |= uint32(a) << attrShift }
func (c *cell) unsetAttribute(a sgr.Attr) { c.text &^= uint32(a) << attrShift }

func (c cell) underline() sgr.Underline { return sgr.Underline(c.ul >> ulineShift) }

func (c *cell) setUnderline(u sgr.Underline) { c.ul = c.ul&colorMask | uint32(u)<<ulineShift }

func (c cell) underlineColor() sgr.Color { return sgr.Color(c.ul & colorMask) }

func (c *cell) setUnderlineColor(u sgr.Color) { c.ul = c.ul&^colorMask | uint32(u) }

func (c cell) toStyle() sgr.Style {
	return sgr.Style{
		Fg: sgr.Color(c.fg), Bg: sgr.Color(c.bg), UnderlineColor: c.underlineColor(), Underline: c.underline(), Attrs: c.attributes(),
	}
}

// withRune returns c, used as a pen, with r.
func (c cell) withRune(r rune, width int) cell {
	c.text |= uint32(r)
	if width == 2 {
		c.text |= wide
	}
	return c
}

// isOfFlag reports whether a cell holds a letter of a flag.
func (c cell) isOfFlag() bool {
	r := c.runeOrBlank()
	return c.text&mark == 0 && r >= 0x1f1e6 && r <= 0x1f1ff
}

// looksAs reports whether two cells have the same style.
func (c cell) looksAs(o cell) bool {
	c.text, o.text = c.text&^runeBits, o.text&^runeBits
	return c == o
}

// columns returns the width of a cell's text, 0 for a right half.
func (c cell) columns() int {
	switch {
	case c.text&pad != 0:
		return 0
	case c.text&wide != 0:
		return 2
	}
	return 1
}

// cluster is a cell's text of more than one rune: a character and its combining marks.
type cluster struct {
	n     uint8
	bytes [columns.MaxCluster]byte
}

func (m *cluster) textBytes() []byte { return m.bytes[:m.n] }

// add appends b if it fits.
func (m *cluster) add(b []byte) bool {
	if int(m.n)+len(b) > columns.MaxCluster {
		return false
	}
	m.n += uint8(copy(m.bytes[m.n:], b))
	return true
}
