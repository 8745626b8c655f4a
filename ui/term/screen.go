// Package term is a terminal emulator: it turns a program's output into the cells of a screen. It
// behaves as tmux does, answers no query and passes on no escape sequence, and it keeps a bounded
// amount, whatever the input.
package term

import (
	"ocaptain/ui/term/columns"
)

// Screen is a terminal's screen: bytes go in, cells come out. It is not safe for concurrent use.
type Screen struct {
	*grid
	behind  *mainScreen // while the alternate screen is shown
	spare   []*line     // of an alternate screen, for reuse
	decoder decoder

	x, y        int // x is one past the last column if the next character wraps
	top, bottom int // the scroll region
	tabs        []bool
	pen         cell
	charsets    [2]bool // whether G0 and G1 are the line drawing set
	shift       int     // the charset in use
	joining     bool    // the next character joins the last one
	saved       savedCursor
	before      savedCursor // the cursor and pen from before the alternate screen
	hasBefore   bool

	insert, noWrap, origin, hidden bool
	shape                          Shape
	blink                          bool
	modes                          Modes
	title                          string
	titles                         []string
	bells                          int
	widths                         columns.Cache
	changes                        uint64
}

// savedCursor is the state that a terminal saves with its cursor.
type savedCursor struct {
	x, y     int
	pen      cell
	charsets [2]bool
	shift    int
	origin   bool
}

// New returns an empty screen with a scrollback of up to history lines.
func New(cols, rows, history int) *Screen {
	cols, rows = clampSize(cols, rows)
	s := &Screen{bottom: rows - 1, tabs: newTabs(cols)}
	s.grid = newGrid(cols, rows, max(0, history), &s.changes)
	s.decoder.last = -1
	return s
}

// Size returns the size of the screen.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// History returns how many lines of scrollback there are.
func (s *Screen) History() int { return s.past.len() }

// Title returns the title the program gave the terminal, safe to be shown.
func (s *Screen) Title() string { return s.title }

// Version returns a number that changes when row y does; negative rows are in the scrollback. A row
// that moves keeps its number, and different rows never share one, so anything computed from a row
// can be reused for its number. Rows that do not exist have number 0.
func (s *Screen) Version(y int) uint64 {
	if l := s.lineAt(y); l != nil {
		return l.version
	}
	return 0
}

// Changes returns a number that grows with every visible change: of cells, cursor, modes, title or
// bell.
func (s *Screen) Changes() uint64 { return s.changes }

// lineAt returns line y of the screen or, counted from -1, of the scrollback.
func (s *Screen) lineAt(y int) *line {
	switch {
	case y >= 0 && y < s.rows:
		return s.lines[y]
	case y < 0 && -y <= s.past.len():
		return s.past.nthNewest(-y - 1)
	}
	return nil
}

// CellAt returns the cell at column x of row y; negative rows are in the scrollback. Outside of the
// screen all cells are blank.
func (s *Screen) CellAt(x, y int) Cell {
	l := s.lineAt(y)
	if l == nil || x < 0 || x >= s.cols {
		return Cell{Text: " ", Width: 1}
	}
	c, width := l.visibleCell(x, s.cols)
	if width == 0 {
		return Cell{Style: c.toStyle()}
	}
	return Cell{Text: string(l.cellText(c)), Width: width, Style: c.toStyle()}
}

// visibleCell returns the cell at x as shown: half a wide character without its other half is
// blank, and the right half has the style of the left.
func (l *line) visibleCell(x, cols int) (c cell, width int) {
	c = l.cellAt(x)
	switch {
	case c.text&wide != 0:
		if x+1 < cols && l.cellAt(x+1).text&pad != 0 {
			return c, 2
		}
	case c.text&pad != 0:
		if x > 0 {
			if left := l.cellAt(x - 1); left.text&wide != 0 {
				return left, 0
			}
		}
	default:
		return c, 1
	}
	c.text &^= runeBits | mark | wide | pad
	return c, 1
}

// cellText returns what a cell shows.
func (l *line) cellText(c cell) []byte {
	if c.text&mark != 0 {
		return l.marks[c.text&runeBits].textBytes()
	}
	return []byte(string(c.runeOrBlank()))
}
