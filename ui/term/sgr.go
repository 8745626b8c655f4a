package term

import (
	"ocaptain/ui/term/sgr"
)

// sgr changes the pen.
func (s *Screen) sgr() {
	d := &s.decoder
	if d.nparams == 0 {
		s.pen = cell{}
		return
	}
	for i := 0; i < d.nparams; i++ {
		if d.params[i].kind == parts {
			s.sgrParts(d.params[i])
			continue
		}
		n := d.paramAt(i, 0, 0)
		if n == 38 || n == 48 || n == 58 {
			i = s.sgrColor(n, i+1)
			continue
		}
		s.sgrNumber(n)
	}
}

func (s *Screen) sgrNumber(n int) {
	p := &s.pen
	switch {
	case n == 0:
		*p = cell{}
	case n == 1:
		p.set(sgr.Bold)
	case n == 2:
		p.set(sgr.Faint)
	case n == 3:
		p.set(sgr.Italic)
	case n == 4:
		p.setUnderline(sgr.SingleUnderline)
	case n == 5, n == 6:
		p.set(sgr.Blink)
	case n == 7:
		p.set(sgr.Reverse)
	case n == 8:
		p.set(sgr.Hidden)
	case n == 9:
		p.set(sgr.Strike)
	case n == 21:
		p.setUnderline(sgr.DoubleUnderline)
	case n == 22:
		p.unsetAttribute(sgr.Bold | sgr.Faint)
	case n == 23:
		p.unsetAttribute(sgr.Italic)
	case n == 24:
		p.setUnderline(sgr.NoUnderline)
	case n == 25:
		p.unsetAttribute(sgr.Blink)
	case n == 27:
		p.unsetAttribute(sgr.Reverse)
	case n == 28:
		p.unsetAttribute(sgr.Hidden)
	case n == 29:
		p.unsetAttribute(sgr.Strike)
	case n >= 30 && n <= 37:
		p.fg = uint32(sgr.Basic(n - 30))
	case n == 39:
		p.fg = 0
	case n >= 40 && n <= 47:
		p.bg = uint32(sgr.Basic(n - 40))
	case n == 49:
		p.bg = 0
	case n == 53:
		p.set(sgr.Overline)
	case n == 55:
		p.unsetAttribute(sgr.Overline)
	case n == 59:
		p.setUnderlineColor(0)
	case n >= 90 && n <= 97:
		p.fg = uint32(sgr.Basic(n - 90 + 8))
	case n >= 100 && n <= 107:
		p.bg = uint32(sgr.Basic(n - 100 + 8))
	}
}

// sgrColor reads the colour that begins at parameter i, and returns the last parameter that it
// used.
func (s *Screen) sgrColor(what, i int) int {
	d := &s.decoder
	switch d.paramAt(i, 0, bad) {
	case 2:
		if s.setRGB(what, d.paramAt(i+1, 0, bad), d.paramAt(i+2, 0, bad), d.paramAt(i+3, 0, bad)) {
			return i + 3
		}
	case 5:
		s.setIndexed(what, d.paramAt(i+1, 0, bad))
		return i + 1
	}
	return i
}

// sgrParts executes a parameter with colons: a kind of underline or a colour.
func (s *Screen) sgrParts(p param) {
	v, n, ok := s.decoder.subparams(p)
	if !ok {
		return
	}
	switch {
	case v[0] == 4:
		if n == 2 && v[1] >= 0 && v[1] <= int(sgr.DashedUnderline) {
			s.pen.setUnderline(sgr.Underline(v[1]))
		}
	case v[0] != 38 && v[0] != 48 && v[0] != 58:
	case v[1] == 5 && n >= 3:
		s.setIndexed(v[0], v[2])
	case v[1] == 2 && n == 5:
		s.setRGB(v[0], v[2], v[3], v[4])
	case v[1] == 2 && n >= 6: // with a colour space
		s.setRGB(v[0], v[3], v[4], v[5])
	}
}

// setIndexed sets a colour of the palette; an unknown number means the default.
func (s *Screen) setIndexed(what, n int) {
	if n < 0 || n > 255 {
		if what != 58 {
			s.setColor(what, 0)
		}
		return
	}
	s.setColor(what, sgr.Indexed(n))
}

func (s *Screen) setRGB(what, r, g, b int) bool {
	if min(r, g, b) < 0 || max(r, g, b) > 255 {
		return false
	}
	s.setColor(what, sgr.RGB(r, g, b))
	return true
}

func (s *Screen) setColor(what int, c sgr.Color) {
	switch what {
	case 38:
		s.pen.fg = uint32(c)
	case 48:
		s.pen.bg = uint32(c)
	case 58:
		s.pen.setUnderlineColor(c)
	}
}
