package term

import (
	"ocaptain/ui/term/sgr"
)

// csi executes a control sequence.
func (s *Screen) csi(final byte) {
	d := &s.decoder
	if d.tooLong || !d.parseParams() {
		return
	}
	done := false
	switch f := d.function(final); f {
	case 'm':
		s.sgr()
		done = true
	case 'b':
		s.repeat()
		done = true
	case '?'<<8 | 'h', '?'<<8 | 'l':
		for i := range d.nparams {
			s.setPrivateMode(d.paramAt(i, 0, bad), final == 'h')
		}
		done = true
	case 'h', 'l':
		for i := range d.nparams {
			if d.paramAt(i, 0, bad) == 4 {
				s.insert = final == 'h'
			}
		}
		done = true
	case ' '<<8 | 'q':
		s.setShape(d.paramAt(0, 0, 0))
		done = true
	case 't':
		s.windowOps()
		done = true
	case 'J', 'K':
		s.eraseIn(final, d.paramAt(0, 0, 0))
		done = true
	case 'g':
		s.clearTabs(d.paramAt(0, 0, 0))
		done = true
	case 's':
		s.saveCursor()
		done = true
	case 'u':
		s.restoreCursor()
		done = true
	case 'c', 'n', '>'<<8 | 'c', '>'<<8 | 'm', '>'<<8 | 'n', '>'<<8 | 'q':
		done = true // queries, which only tmux answers, and keyboard modes
	default:
		if d.inters == 0 {
			done = s.moving(final, d.paramAt(0, 1, 1))
		}
	}
	if done {
		d.last = -1
	}
}

// moving executes the sequences that move the cursor or cells by n; it reports whether tmux knows
// the sequence.
func (s *Screen) moving(final byte, n int) bool {
	bg := sgr.Color(s.pen.bg)
	switch final {
	case '@', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', '`', 'd', 'f', 'r':
	default:
		return false
	}
	if n == bad {
		return true
	}
	switch final {
	case 'A':
		s.moveUp(n)
	case 'B':
		s.moveDown(n)
	case 'C':
		s.x = min(s.x+n, s.cols-1)
	case 'D':
		s.moveLeft(n)
	case 'E':
		s.x = 0
		s.moveDown(n)
	case 'F':
		s.x = 0
		s.moveUp(n)
	case 'G', '`':
		s.x = min(n, s.cols) - 1
	case 'H', 'f':
		if x := s.decoder.paramAt(1, 1, 1); x != bad {
			s.moveTo(x-1, n-1)
		}
	case 'd':
		s.y = s.rowFromOrigin(n - 1)
	case 'Z':
		s.backTab(n)
	case '@', 'P', 'X':
		s.shiftCells(final, n, bg)
	case 'L', 'M':
		s.shiftLines(final, n, bg)
	case 'S':
		for range min(n, s.bottom-s.top+1) {
			s.scrollUp(s.top, s.bottom, bg)
		}
	case 'T':
		for range min(n, s.bottom-s.top+1) {
			s.scrollDown(s.top, s.bottom, bg)
		}
	case 'r':
		if bottom := s.decoder.paramAt(1, 1, s.rows); bottom != bad {
			s.setRegion(min(n, s.rows)-1, min(bottom, s.rows)-1)
		}
	}
	return true
}

// moveLeft moves the cursor left. On a screen that became narrower, the cursor may be past the last column.
func (s *Screen) moveLeft(n int) {
	if s.x -= min(n, s.x); s.x > s.cols {
		s.x = s.cols - 1
	}
}

func (s *Screen) moveUp(n int) {
	limit := 0
	if s.y >= s.top {
		limit = s.top
	}
	s.x = min(s.x, s.cols-1)
	s.y -= min(n, s.y-limit)
}

func (s *Screen) moveDown(n int) {
	limit := s.rows - 1
	if s.y <= s.bottom {
		limit = s.bottom
	}
	s.x = min(s.x, s.cols-1)
	s.y += min(n, limit-s.y)
}

// moveTo moves the cursor to a column and a line, numbered as by rowFromOrigin.
func (s *Screen) moveTo(x, y int) {
	s.x, s.y = min(x, s.cols-1), s.rowFromOrigin(y)
}

// rowFromOrigin returns line y of the screen or, in origin mode, of the region.
func (s *Screen) rowFromOrigin(y int) int {
	if s.origin {
		return s.top + min(y, s.bottom-s.top)
	}
	return min(y, s.rows-1)
}

func (s *Screen) setRegion(top, bottom int) {
	if top < bottom {
		s.top, s.bottom = top, bottom
		s.x, s.y = 0, 0
	}
}

// shiftCells inserts, deletes or erases n cells at the cursor.
func (s *Screen) shiftCells(final byte, n int, bg sgr.Color) {
	n = min(n, s.cols-s.x)
	if n <= 0 {
		return
	}
	switch final {
	case '@':
		s.insertCells(n, bg)
	case 'P':
		s.editLine(s.y).moveCells(s.x, s.x+n, s.cols-s.x-n, s.cols, bg)
		s.clearCells(s.y, s.cols-n, s.x+2*n-s.cols, bg)
	case 'X':
		s.clearCells(s.y, s.x, n, bg)
	}
}

// insertCells inserts blanks at the cursor. Like tmux, if all cells would leave the line, it
// changes only the last.
func (s *Screen) insertCells(n int, bg sgr.Color) {
	if s.x >= s.cols-1 {
		s.clearCells(s.y, s.x, min(1, s.cols-s.x), bg)
		return
	}
	s.editLine(s.y).moveCells(s.x+n, s.x, s.cols-s.x-n, s.cols, bg)
}

// shiftLines inserts or deletes n lines at the cursor, within the region or, from outside of it,
// within the screen.
func (s *Screen) shiftLines(final byte, n int, bg sgr.Color) {
	inside := s.y >= s.top && s.y <= s.bottom
	bottom := s.rows - 1
	if inside {
		bottom = s.bottom
	}
	n = min(n, bottom+1-s.y)
	switch {
	case final == 'M':
		s.deleteLines(s.y, n, bottom, bg)
	case inside:
		s.insertLines(s.y, n, bottom, bg)
	default: // like tmux, change nothing if all lines would leave the screen
		s.moveLines(s.y+n, s.y, bottom+1-s.y-n, bg)
	}
}

func (s *Screen) clearTabs(what int) {
	switch {
	case what == 3:
		clear(s.tabs)
	case what == 0 && s.x < s.cols:
		s.tabs[s.x] = false
	}
}
