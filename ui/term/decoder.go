package term

import "unicode/utf8"

// decoder is the state of an unfinished sequence between two writes. It follows tmux: a character
// that a sequence interrupts continues after it; sequences with too many or too large parameters do
// nothing.
type decoder struct {
	state state
	last  int // the printable ASCII character just written, which CSI b repeats, or -1

	inter   [3]byte
	inters  int
	raw     [63]byte
	raws    int
	tooLong bool
	params  [maxParams]param
	nparams int
	str     []byte // of an OSC
	char    [utf8.UTFMax]byte
	have    int
	need    int // missing bytes of the current character, 0 without one
}

type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiEntry
	csiParam
	csiIntermediate
	csiIgnore
	dcsEntry
	dcsParam
	dcsIntermediate
	dcsBody
	dcsEscape
	oscString
	ignoredString // until ESC, like APC, PM, SOS, a screen title and bad DCS
)

const (
	maxParams = 24
	maxString = 4096 // bytes kept of an OSC
)

// Write executes the output of a program. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	before := s.visibleState()
	d := &s.decoder
	for i := 0; i < len(p); {
		if d.state != ground {
			s.stepSequence(p[i])
			i++
			continue
		}
		switch c := p[i]; {
		case c >= 0x20 && c < 0x7f:
			j := i + 1
			for j < len(p) && p[j] >= 0x20 && p[j] < 0x7f {
				j++
			}
			s.printASCII(p[i:j])
			d.last, d.need = int(p[j-1]), 0
			i = j
		case c == 0x1b:
			if n := s.wholeCSI(p[i:]); n > 0 {
				i += n
				continue
			}
			d.enterState(escape)
			i++
		case c < 0x20:
			s.control(c)
			i++
		case c == 0x7f:
			i++
		default:
			d.last = -1
			if d.need == 0 {
				if r, n := utf8.DecodeRune(p[i:]); r != utf8.RuneError {
					s.printRune(r)
					i += n
					continue
				}
			}
			if r, ok := d.decode(c); ok {
				s.printRune(r)
			}
			i++
		}
	}
	if s.visibleState() != before {
		s.changes++
	}
	return len(p), nil
}

// wholeCSI executes the control sequence at the beginning of p, if it is complete and of the usual
// kind, and returns its length. It is a shortcut for step.
func (s *Screen) wholeCSI(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	d := &s.decoder
	i := 2
	for i < len(p) && p[i] >= '0' && p[i] <= ';' {
		i++
	}
	n := i - 2
	if i == len(p) || p[i] < 0x40 || p[i] >= 0x7f || n > len(d.raw) {
		return 0
	}
	d.inters, d.raws, d.tooLong = 0, copy(d.raw[:], p[2:i]), false
	s.csi(p[i])
	return i + 1
}

// decode adds a byte to the current character. Like tmux, it detects a bad character only when all
// its bytes are there.
func (d *decoder) decode(c byte) (rune, bool) {
	if d.need == 0 {
		switch {
		case c >= 0xc2 && c <= 0xdf:
			d.need = 2
		case c >= 0xe0 && c <= 0xef:
			d.need = 3
		case c >= 0xf0 && c <= 0xf4:
			d.need = 4
		default:
			return 0, false
		}
		d.char[0], d.have = c, 1
		return 0, false
	}
	d.char[d.have] = c
	d.have++
	if d.have < d.need {
		return 0, false
	}
	r, n := utf8.DecodeRune(d.char[:d.have])
	ok := n == d.have
	d.need = 0
	return r, ok
}
