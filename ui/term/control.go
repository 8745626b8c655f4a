package term

import (
	"ocaptain/ui/term/sgr"
)

// control executes a C0 control character.
func (s *Screen) control(c byte) {
	s.decoder.last, s.decoder.need = -1, 0
	switch c {
	case '\a':
		s.bells++
	case '\b':
		s.backspace()
	case '\t':
		s.moveToNextTab()
	case '\n', '\v', '\f':
		s.lineFeed(sgr.Color(s.pen.bg))
	case '\r':
		s.x = 0
	case 0x0e:
		s.shift = 1
	case 0x0f:
		s.shift = 0
	}
}

// escape executes an escape sequence that ends in final.
func (s *Screen) escape(final byte) {
	d := &s.decoder
	if d.tooLong {
		return
	}
	switch d.function(final) {
	case '7':
		s.saveCursor()
	case '8':
		s.restoreCursor()
	case '=':
		s.modes.AppKeypad = true
	case '>':
		s.modes.AppKeypad = false
	case 'D':
		s.lineFeed(sgr.Color(s.pen.bg))
	case 'E':
		s.x = 0
		s.lineFeed(sgr.Color(s.pen.bg))
	case 'H':
		if s.x < s.cols {
			s.tabs[s.x] = true
		}
	case 'M':
		if s.y == s.top {
			s.scrollDown(s.top, s.bottom, sgr.Color(s.pen.bg))
		} else if s.y > 0 {
			s.y--
		}
	case 'c':
		s.resetTerminal()
	case '\\':
	case '('<<8 | '0':
		s.charsets[0] = true
	case '('<<8 | 'B':
		s.charsets[0] = false
	case ')'<<8 | '0':
		s.charsets[1] = true
	case ')'<<8 | 'B':
		s.charsets[1] = false
	case '#'<<8 | '8':
		s.alignmentTest()
	default:
		return
	}
	d.last = -1
}

// lineFeed moves down, and scrolls at the bottom of the region.
func (s *Screen) lineFeed(bg sgr.Color) {
	if s.y == s.bottom {
		s.scrollUp(s.top, s.bottom, bg)
	} else if s.y < s.rows-1 {
		s.y++
	}
}

// backspace moves left, and from the start of a wrapped line to the end of the line above.
func (s *Screen) backspace() {
	switch {
	case s.x > 0:
		s.moveLeft(1)
	case s.y > 0 && s.lines[s.y-1].wrapped:
		s.x, s.y = s.cols-1, s.y-1
	}
}

func newTabs(cols int) []bool {
	tabs := make([]bool, cols)
	for x := 8; x < cols; x += 8 {
		tabs[x] = true
	}
	return tabs
}

func (s *Screen) moveToNextTab() {
	if s.x >= s.cols-1 {
		return
	}
	for s.x++; s.x < s.cols-1 && !s.tabs[s.x]; {
		s.x++
	}
}

func (s *Screen) backTab(n int) {
	x := min(s.x, s.cols-1)
	for ; n > 0 && x > 0; n-- {
		for x--; x > 0 && !s.tabs[x]; {
			x--
		}
	}
	s.x = x
}

func (s *Screen) saveCursor() {
	s.saved = savedCursor{s.x, s.y, s.pen, s.charsets, s.shift, s.origin}
}

func (s *Screen) restoreCursor() {
	v := s.saved
	s.pen, s.charsets, s.shift, s.origin = v.pen, v.charsets, v.shift, v.origin
	s.x, s.y = min(v.x, s.cols-1), min(v.y, s.rows-1)
}

// alignmentTest fills the screen with E.
func (s *Screen) alignmentTest() {
	for y := range s.lines {
		l := s.editLine(y)
		for x := range s.cols {
			l.set(x, s.cols, cell{text: 'E'})
		}
	}
	s.x, s.y = 0, 0
	s.top, s.bottom = 0, s.rows-1
}
