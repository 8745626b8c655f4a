package term

import "math"

// enterState changes the state, and clears the last sequence.
func (d *decoder) enterState(to state) {
	d.state = to
	switch to {
	case escape, csiEntry, dcsEntry, oscString, ignoredString:
		d.inters, d.raws, d.tooLong, d.str = 0, 0, false, d.str[:0]
	}
	switch to {
	case dcsEntry, oscString, ignoredString:
		d.last = -1
	}
}

func (d *decoder) intermediate(c byte) {
	if d.inters == len(d.inter) {
		d.tooLong = true
		return
	}
	d.inter[d.inters] = c
	d.inters++
}

func (d *decoder) parameter(c byte) {
	if d.raws == len(d.raw) {
		d.tooLong = true
		return
	}
	d.raw[d.raws] = c
	d.raws++
}

// function returns a number for a sequence with these intermediate bytes and final byte.
func (d *decoder) function(final byte) uint16 {
	switch d.inters {
	case 0:
		return uint16(final)
	case 1:
		return uint16(d.inter[0])<<8 | uint16(final)
	}
	return math.MaxUint16
}

// stepSequence handles a byte of a sequence.
func (s *Screen) stepSequence(c byte) {
	d := &s.decoder
	switch d.state {
	case dcsBody:
		if c == 0x1b {
			d.state = dcsEscape
		}
		return
	case dcsEscape:
		d.state = dcsBody
		if c == '\\' {
			d.state = ground
		}
		return
	case oscString:
		if c == 0x07 || c == 0x18 || c == 0x1a || c == 0x1b {
			s.osc(d.str)
		}
	}
	switch c {
	case 0x18, 0x1a:
		s.control(c)
		d.state = ground
		return
	case 0x1b:
		d.enterState(escape)
		return
	}
	switch d.state {
	case escape, escapeIntermediate:
		s.stepEscape(c)
	case csiEntry, csiParam, csiIntermediate, csiIgnore:
		s.stepCSI(c)
	case dcsEntry, dcsParam, dcsIntermediate:
		d.stepDCS(c)
	case oscString:
		switch {
		case c == 0x07:
			d.state = ground
		case c >= 0x20 && len(d.str) < maxString:
			d.str = append(d.str, c)
		}
	}
}

func (s *Screen) stepEscape(c byte) {
	d := &s.decoder
	switch {
	case c < 0x20:
		s.control(c)
	case c < 0x30:
		d.intermediate(c)
		d.state = escapeIntermediate
	case c >= 0x7f:
	case d.state == escapeIntermediate:
		s.escape(c)
		d.state = ground
	default:
		switch c {
		case '[':
			d.enterState(csiEntry)
		case ']':
			d.enterState(oscString)
		case 'P':
			d.enterState(dcsEntry)
		case 'X', '^', '_', 'k':
			d.enterState(ignoredString)
		default:
			s.escape(c)
			d.state = ground
		}
	}
}

func (s *Screen) stepCSI(c byte) {
	d := &s.decoder
	switch {
	case c < 0x20:
		s.control(c)
	case c >= 0x7f:
	case c >= 0x40:
		if d.state != csiIgnore {
			s.csi(c)
		}
		d.state = ground
	case d.state == csiIgnore:
	case c < 0x30:
		d.intermediate(c)
		d.state = csiIntermediate
	case d.state == csiIntermediate:
		d.state = csiIgnore
	case c < 0x3c:
		d.parameter(c)
		d.state = csiParam
	case d.state == csiEntry:
		d.intermediate(c)
		d.state = csiParam
	default:
		d.state = csiIgnore
	}
}

func (d *decoder) stepDCS(c byte) {
	switch {
	case c < 0x20 || c >= 0x7f:
	case c >= 0x40:
		d.state = dcsBody
	case c < 0x30:
		d.state = dcsIntermediate
	case c == ':', d.state == dcsIntermediate, c >= 0x3c && d.state == dcsParam:
		d.state = ignoredString
	default:
		d.state = dcsParam
	}
}
