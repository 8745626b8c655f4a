package term

import (
	"unicode/utf8"

	"ocaptain/ui/term/columns"
	"ocaptain/ui/term/sgr"
)

// AppendRow appends columns from up to but excluding to of row y, as text that is to-from columns
// wide; negative rows are in the scrollback. The text holds only printable characters and SGR
// sequences, and begins and ends without a style. Characters that are only half within the columns
// become blanks. If terminals disagree about a text's width, AppendRow reduces the text until they
// agree.
func (s *Screen) AppendRow(dst []byte, y, from, to int) []byte {
	var l line
	if shown := s.lineAt(y); shown != nil {
		l = *shown
	}
	r := render{out: dst}
	last := min(to, s.cols, len(l.cells))
	if x := min(from, 0); x < 0 {
		r.blanks(min(0, to) - from)
	}
	x := max(from, 0)
	if x < last && l.endsFlag(x) { // the flag's first letter is left of from
		r.blanks(1)
		x++
	}
	for x < last {
		c := l.cells[x]
		if c.text&(mark|pad|wide|^uint32(0x7f)&runeBits) == 0 && c.text&runeBits > ' ' {
			r.setStyle(look{c.text & attrBits, c.fg, c.bg, c.ul})
			r.out = append(r.out, byte(c.text))
			r.joins.Simple(rune(c.text & 0x7f))
			x++
			continue
		}
		x += r.appendCell(&l, x, min(s.cols, to))
	}
	if rest := max(0, to) - max(from, 0, last); rest > 0 {
		r.setStyle(look{})
		r.blanks(rest)
	}
	r.setStyle(look{})
	return r.out
}

// render is the state of appending a row.
type render struct {
	out   []byte
	last  look
	joins columns.Joins
}

// look is a cell's style as raw bits, which compare faster.
type look struct{ attrs, fg, bg, ul uint32 }

const attrBits = 0xff << attrShift

func (k look) toStyle() sgr.Style { return cell{k.attrs, k.fg, k.bg, k.ul}.toStyle() }

// seenInBlanks are the attributes that are visible on a blank.
const seenInBlanks = uint32(sgr.Reverse|sgr.Strike|sgr.Overline) << attrShift

// ofBlank drops what is invisible on a blank.
func (k look) ofBlank() look {
	if k.attrs&seenInBlanks != 0 || k.ul>>ulineShift != 0 {
		return k
	}
	return look{bg: k.bg}
}

// setStyle changes the style.
func (r *render) setStyle(k look) {
	if k != r.last {
		r.out = sgr.AppendChange(r.out, r.last.toStyle(), k.toStyle())
		r.last = k
	}
}

func (r *render) blanks(n int) {
	if n > 0 {
		r.out = columns.AppendBlanks(r.out, n)
		r.joins.Simple(' ')
	}
}

// appendCell appends cell x, which must end before end, and returns its width.
func (r *render) appendCell(l *line, x, end int) int {
	c, width := l.visibleCell(x, end)
	k := look{c.text & attrBits, c.fg, c.bg, c.ul}
	ch := c.runeOrBlank()
	switch {
	case width == 0, c.text&mark == 0 && ch == ' ': // half a character, or an empty cell
		r.setStyle(k.ofBlank())
		r.blanks(1)
		return 1
	case c.text&mark == 0 && columns.StandsAlone(ch) && !r.joins.Open():
		r.setStyle(k)
		r.out = utf8.AppendRune(r.out, ch)
		r.joins.Simple(ch)
	case c.isOfFlag() && x+1 < min(end, len(l.cells)) && l.cells[x+1].isOfFlag() && l.cells[x+1].looksAs(c):
		r.setStyle(k) // terminals disagree about the width of a single letter of a flag
		r.out = r.joins.Append(r.out, utf8.AppendRune(l.cellText(c), l.cells[x+1].runeOrBlank()), 2)
		return 2
	default:
		r.setStyle(k)
		r.out = r.joins.Append(r.out, l.cellText(c), width)
	}
	return width
}

// endsFlag reports whether cell x holds the second letter of a flag, counting the row's adjacent letters.
func (l *line) endsFlag(x int) bool {
	n := 0
	for at := x; at >= 0 && l.cells[at].isOfFlag() && l.cells[at].looksAs(l.cells[x]); at-- {
		n++
	}
	return n > 0 && n%2 == 0
}
