package term

import (
	"ocaptain/ui/term/columns"
)

// lineDrawing maps printable ASCII to the characters of the line drawing set.
var lineDrawing = [128]rune{
	'+': '→', ',': '←', '-': '↑', '.': '↓', '0': '▮',
	'`': '◆', 'a': '▒', 'b': '␉', 'c': '␌', 'd': '␍', 'e': '␊', 'f': '°', 'g': '±',
	'h': '␤', 'i': '␋', 'j': '┘', 'k': '┐', 'l': '┌', 'm': '└', 'n': '┼', 'o': '⎺',
	'p': '⎻', 'q': '─', 'r': '⎼', 's': '⎽', 't': '├', 'u': '┤', 'v': '┴', 'w': '┬',
	'x': '│', 'y': '≤', 'z': '≥', '{': 'π', '|': '≠', '}': '£', '~': '·',
}

// printASCII writes printable ASCII, most of all output, as runs of cells.
func (s *Screen) printASCII(p []byte) {
	s.joining = false
	if s.insert || s.noWrap || s.charsets[s.shift] {
		for _, c := range p {
			s.printOne(c)
		}
		return
	}
	for len(p) > 0 {
		if s.x >= s.cols {
			s.wrapLine()
		}
		n := min(len(p), s.cols-s.x)
		s.editLine(s.y).putASCII(s.x, s.cols, p[:n], s.pen)
		s.x += n
		p = p[n:]
	}
}

func (s *Screen) printOne(c byte) {
	r := rune(c)
	if s.charsets[s.shift] && lineDrawing[c] != 0 {
		r = lineDrawing[c]
	}
	s.putRune(r, 1)
}

// repeat does REP.
func (s *Screen) repeat() {
	d := &s.decoder
	n := d.paramAt(0, 1, 1)
	if n == bad || d.last < 0 {
		return
	}
	for range min(n, s.cols-s.x) {
		c := [1]byte{byte(d.last)}
		s.printASCII(c[:])
	}
}

func (s *Screen) printRune(r rune) {
	if w := s.widths.Of(r); w >= 0 {
		s.putRune(r, w)
	}
}

// putRune writes a character at the cursor. Unlike tmux it joins only what may join: tmux cuts a long family of emoji behind a
// joiner, and counts columns for what follows.
func (s *Screen) putRune(r rune, width int) {
	if r == columns.Joiner {
		s.joining = true
		return
	}
	if s.joining = s.joining && !columns.StandsAlone(r); s.joining {
		s.combine(columns.Joiner)
	}
	if width == 0 || s.joining {
		s.joining = false
		s.combine(r)
		return
	}
	last := s.cols - width
	if s.noWrap && width > 1 && s.x != s.cols && s.x > last {
		return
	}
	if s.insert {
		s.insertCells(width, 0)
	}
	if !s.noWrap && s.x > last {
		s.wrapLine()
	}
	if s.x > last {
		return
	}
	s.editLine(s.y).putCell(s.x, s.cols, s.pen.withRune(r, width))
	s.x += width
	if s.noWrap {
		s.x = min(s.x, s.cols-1)
	}
}

// combine adds r to the character before the cursor.
func (s *Screen) combine(r rune) {
	if s.lines[s.y].combine(s.x, s.cols, r) {
		s.changed(s.lines[s.y])
	}
}

// wrapLine begins the next line, in which this one goes on.
func (s *Screen) wrapLine() {
	s.lines[s.y].wrapped = true
	s.lineFeed(0)
	s.x = 0
}
