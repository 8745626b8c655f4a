package sgr

import "strconv"

// codes are the SGR parameters of the attributes, in the order of their bits.
var codes = [8]byte{'1', '2', '3', '5', '7', '8', '9', 0}

// AppendChange appends the sequence that changes the style from from to to.
func AppendChange(dst []byte, from, to Style) []byte {
	if from == to {
		return dst
	}
	dst = append(dst, "\x1b["...)
	if to == (Style{}) {
		return append(dst, 'm')
	}
	if from.Attrs&^to.Attrs != 0 || from.Underline != to.Underline && from.Underline != 0 ||
		from.UnderlineColor != to.UnderlineColor && from.UnderlineColor != 0 {
		dst = append(dst, '0', ';')
		from = Style{}
	}
	for i, code := range codes {
		if a := Attr(1 << i); to.Attrs&^from.Attrs&a != 0 {
			if code == 0 {
				dst = append(dst, "53;"...)
				continue
			}
			dst = append(dst, code, ';')
		}
	}
	if to.Underline != from.Underline {
		dst = append(dst, '4')
		if to.Underline != SingleUnderline {
			dst = append(dst, ':', '0'+byte(to.Underline))
		}
		dst = append(dst, ';')
	}
	if to.Fg != from.Fg {
		dst = appendColor(dst, to.Fg, 30)
	}
	if to.Bg != from.Bg {
		dst = appendColor(dst, to.Bg, 40)
	}
	if to.UnderlineColor != from.UnderlineColor {
		dst = appendUnderlineColor(dst, to.UnderlineColor)
	}
	dst[len(dst)-1] = 'm' // replaces the last semicolon
	return dst
}

// appendColor appends the parameters of a text colour, when base is 30, or of a background, when it
// is 40.
func appendColor(dst []byte, c Color, base int) []byte {
	switch c.Kind() {
	case DefaultColor:
		return appendNumber(dst, base+9)
	case BasicColor:
		if i := int(c.Index()); i < 8 {
			return appendNumber(dst, base+i)
		}
		return appendNumber(dst, base+60+int(c.Index())-8)
	case IndexedColor:
		dst = append(appendNumber(dst, base+8), "5;"...)
		return appendNumber(dst, int(c.Index()))
	}
	r, g, b := c.RGB()
	dst = append(appendNumber(dst, base+8), "2;"...)
	return appendNumber(appendNumber(appendNumber(dst, int(r)), int(g)), int(b))
}

// appendUnderlineColor writes parameters with colons, which terminals without such colours ignore.
func appendUnderlineColor(dst []byte, c Color) []byte {
	if c.Kind() == IndexedColor {
		return appendNumber(append(dst, "58:5:"...), int(c.Index()))
	}
	r, g, b := c.RGB()
	dst = append(dst, "58:2::"...)
	dst = append(strconv.AppendInt(dst, int64(r), 10), ':')
	dst = append(strconv.AppendInt(dst, int64(g), 10), ':')
	return appendNumber(dst, int(b))
}

func appendNumber(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, int64(n), 10), ';')
}
