// Package sgr holds the style of terminal cells: colours, attributes, underlines, and their SGR
// sequences.
package sgr

// Color is a colour in the form that the program used. The zero Color is the terminal's default.
type Color uint32

// ColorKind is the form of a Color.
type ColorKind uint8

// The forms of colours. The first sixteen are separate from the palette of 256, since terminals may
// show them brighter in bold text.
const (
	DefaultColor ColorKind = iota
	BasicColor             // one of the first sixteen colours
	IndexedColor           // of the palette of 256
	RGBColor
)

// ColorBits is how many bits a Color takes.
const ColorBits = 26 // two of kind, three bytes of value

// Basic returns one of the first sixteen colours.
func Basic(i int) Color { return Color(BasicColor)<<24 | Color(i&15) }

// Indexed returns a colour of the palette of 256.
func Indexed(i int) Color { return Color(IndexedColor)<<24 | Color(i&255) }

// RGB returns a colour by its components.
func RGB(r, g, b int) Color {
	return Color(RGBColor)<<24 | Color(r&255)<<16 | Color(g&255)<<8 | Color(b&255)
}

// Kind returns the form of the colour.
func (c Color) Kind() ColorKind { return ColorKind(c >> 24 & 3) }

// Index returns the number of a basic or indexed colour.
func (c Color) Index() uint8 { return uint8(c) }

// RGB returns the components of an RGB colour.
func (c Color) RGB() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

// Attr is a set of text attributes.
type Attr uint8

// The attributes.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Reverse
	Hidden
	Strike
	Overline
)

// Underline is the shape of the line under text.
type Underline uint8

// The underlines, with the numbers of their SGR sequences.
const (
	NoUnderline Underline = iota
	SingleUnderline
	DoubleUnderline
	CurlyUnderline
	DottedUnderline
	DashedUnderline
)

// Style is how a cell is shown.
type Style struct {
	Fg, Bg         Color
	UnderlineColor Color
	Underline      Underline
	Attrs          Attr
}
