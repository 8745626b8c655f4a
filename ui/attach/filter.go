package attach

import (
	"unicode/utf8"
)

// filter passes on what a ship may write to the captain's terminal, in whole sequences only. It
// drops sequences that make the terminal answer, read a file, print, or keep a setting that can't
// be undone: a ship is not trusted, whatever its tmux does.
type filter struct {
	ship  string
	login bool // the ship's programs talk to the terminal directly, not through tmux

	state state
	seq   []byte // the sequence or character so far, without its introducer
	kind  byte   // introducer of the string in seq
	long  bool   // the sequence is too long to pass
	out   []byte

	asked   map[string]bool // questions that tmux has asked; it may ask each question once
	alt     bool            // the alternate screen is on
	colours bool            // a colour of the palette may have changed
}

type state uint8

const (
	ground state = iota
	escape
	control   // CSI
	text      // OSC, DCS, APC, PM, SOS
	character // a part of a character in UTF-8
)

const (
	maxControl = 256
	maxText    = 1 << 20 // so that a copy to the clipboard fits
)

// allowed returns what of p, and of bytes held back before, may go to the terminal. The result is
// valid until the next call.
func (f *filter) allowed(p []byte) []byte {
	f.out = f.out[:0]
	for i := 0; i < len(p); i++ {
		b := p[i]
		if f.state == ground && b >= ' ' && b < 0x7f {
			start := i
			for i++; i < len(p) && p[i] >= ' ' && p[i] < 0x7f; i++ {
			}
			f.out = append(f.out, p[start:i]...)
			i--
			continue
		}
		f.addByte(b)
	}
	return f.out
}

func (f *filter) addByte(b byte) {
	if f.state == character {
		if f.isContinuation(b) {
			return
		}
	}
	switch {
	case b == 0x1b:
		f.escaped()
	case b == 0x18 || b == 0x1a:
		f.state = ground
	case f.state == ground:
		f.single(b)
	case f.state == escape:
		f.second(b)
	case f.state == control:
		f.addParam(b)
	case b == 0x07 && f.kind == ']':
		f.endString()
	default:
		f.collect(b, maxText)
	}
}

// escaped handles the byte ESC. The next byte says whether it ends a string or begins a sequence.
func (f *filter) escaped() {
	if f.state != text {
		f.kind, f.seq = 0, f.seq[:0]
	}
	f.state = escape
}

// single handles a byte outside of sequences.
func (f *filter) single(b byte) {
	switch {
	case b >= 0xc2 && b <= 0xf4:
		f.state, f.seq = character, append(f.seq[:0], b)
	case b >= 0x80:
		f.out = utf8.AppendRune(f.out, utf8.RuneError)
	case b >= 0x07 && b <= 0x0f || b >= ' ' && b < 0x7f:
		f.out = append(f.out, b)
	}
}

// isContinuation handles a byte after the first of a character; it reports whether the byte belongs to the
// character.
func (f *filter) isContinuation(b byte) bool {
	if b&0xc0 == 0x80 {
		f.seq = append(f.seq, b)
		if !utf8.FullRune(f.seq) {
			return true
		}
	}
	f.state = ground
	r, n := utf8.DecodeRune(f.seq)
	if r >= 0xa0 { // lower ones are control characters
		f.out = utf8.AppendRune(f.out, r)
	}
	return n > 1 || b&0xc0 == 0x80
}

// second handles the byte after an escape.
func (f *filter) second(b byte) {
	if f.kind != 0 && b == '\\' {
		f.endString()
		return
	}
	if len(f.seq) == 0 || f.kind != 0 { // b is the first byte after the escape
		f.kind, f.seq, f.long = 0, f.seq[:0], false
		switch b {
		case '[':
			f.state = control
			return
		case ']', 'P', '_', '^', 'X':
			f.state, f.kind = text, b
			return
		}
	}
	switch {
	case b >= ' ' && b < '0':
		f.collect(b, 2)
	case b >= '0' && b < 0x7f:
		f.state = ground
		if !f.long && f.mayEscape(string(f.seq), b) {
			f.out = append(append(append(f.out, 0x1b), f.seq...), b)
		}
	}
}

// addParam handles a byte of a control sequence.
func (f *filter) addParam(b byte) {
	switch {
	case b >= ' ' && b < '@':
		f.collect(b, maxControl)
	case b >= '@' && b < 0x7f:
		f.state = ground
		if !f.long {
			f.control(b)
		}
	}
}

func (f *filter) collect(b byte, most int) {
	if len(f.seq) >= most {
		f.long = true
		return
	}
	f.seq = append(f.seq, b)
}

// endString handles the end of a string.
func (f *filter) endString() {
	if !f.long && f.mayText(f.kind, f.seq) {
		f.out = append(append(f.out, 0x1b, f.kind), f.seq...)
		f.out = append(f.out, 0x1b, '\\')
	}
	f.state, f.kind, f.seq, f.long = ground, 0, f.seq[:0], false
	if cap(f.seq) > 64<<10 {
		f.seq = nil
	}
}
