// Package sgr is how the cells of a terminal are shown: colours, attributes, underlines, and
// the SGR sequences that ask for them.
package sgr

// Color is a colour as the program on the screen named it. The zero Color is the
// terminal's own default.
type Color uint32

// ColorKind says how a Color was named.
type ColorKind uint8

// The ways to name a colour. The first sixteen are kept apart from the palette of 256,
// since terminals may show them brighter when the text is bold.
const (
	DefaultColor ColorKind = iota
	BasicColor             // one of the sixteen
	IndexedColor           // one of the palette of 256
	RGBColor
)

// ColorBits is how many bits a Color takes.
const ColorBits = 26 // two of kind, three bytes of value

// Basic is one of the sixteen colours.
func Basic(i int) Color { return Color(BasicColor)<<24 | Color(i&15) }

// Indexed is a colour of the palette of 256.
func Indexed(i int) Color { return Color(IndexedColor)<<24 | Color(i&255) }

// RGB is a colour by its parts.
func RGB(r, g, b int) Color {
	return Color(RGBColor)<<24 | Color(r&255)<<16 | Color(g&255)<<8 | Color(b&255)
}

// Kind returns how the colour was named.
func (c Color) Kind() ColorKind { return ColorKind(c >> 24 & 3) }

// Index returns the number of a basic or indexed colour.
func (c Color) Index() uint8 { return uint8(c) }

// RGB returns the parts of an RGB colour.
func (c Color) RGB() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

// Attr is a set of ways to show text.
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

// The underlines, numbered as the sequence that asks for them numbers them.
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
