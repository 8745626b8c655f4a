package term

import (
	"ocaptain/ui/term/sgr"
)

// eraseIn executes ED, when final is J, or EL.
func (s *Screen) eraseIn(final byte, what int) {
	bg := sgr.Color(s.pen.bg)
	switch {
	case final == 'K':
		s.eraseLine(what, bg)
	case what == 0:
		s.eraseBelow(bg)
	case what == 1:
		if s.y > 0 {
			s.clearLines(0, s.y, bg)
		}
		s.clearCells(s.y, 0, min(s.x+1, s.cols), bg)
	case what == 2:
		s.clearAll(bg)
	case what == 3 && s.decoder.paramAt(1, 0, 0) == 0:
		s.past.forget()
		s.scrolled = 0
	}
}

func (s *Screen) eraseBelow(bg sgr.Color) {
	if s.x == 0 && s.y == 0 && s.keeps {
		s.clearAll(bg)
		return
	}
	if s.x < s.cols {
		s.clearCells(s.y, s.x, s.cols-s.x, bg)
	}
	s.clearLines(s.y+1, s.rows-s.y-1, bg)
}

func (s *Screen) eraseLine(what int, bg sgr.Color) {
	switch {
	case what == 2, what == 0 && s.x == 0, what == 1 && s.x >= s.cols-1:
		// Keep an empty line as it is, as the line above may wrap into it.
		if bg != 0 || len(s.lines[s.y].cells) > 0 {
			s.clearLines(s.y, 1, bg)
		}
	case what == 0 && s.x < s.cols:
		s.editLine(s.y).clearCells(s.x, s.cols-s.x, s.cols, bg)
	case what == 1:
		s.editLine(s.y).clearCells(0, s.x+1, s.cols, bg)
	}
}
