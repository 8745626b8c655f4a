package term

import "math"

// param is a parameter of a CSI sequence.
type param struct {
	kind       paramKind
	n          int
	start, end int // of the parts in the raw bytes, if there are any
}

type paramKind uint8

const (
	missing paramKind = iota
	number
	parts // separated by colons
)

// parseParams reads the parameters. It returns false if tmux would ignore the whole sequence: for
// too many parameters, or one too large.
func (d *decoder) parseParams() bool {
	d.nparams = 0
	if d.raws == 0 {
		return true
	}
	p := param{}
	for i := 0; ; i++ {
		if i < d.raws && d.raw[i] != ';' {
			switch c := d.raw[i]; {
			case c == ':':
				p.kind = parts
			case p.kind != parts:
				p.kind = number
				p.n = min(p.n*10+int(c-'0'), math.MaxInt32+1)
			}
			continue
		}
		p.end = i
		if p.kind == number && p.n > math.MaxInt32 {
			return false
		}
		d.params[d.nparams] = p
		d.nparams++
		if d.nparams == maxParams {
			return false
		}
		if i == d.raws {
			return true
		}
		p = param{start: i + 1}
	}
}

// bad is the value of a parameter with parts where a number is expected.
const bad = -1

// paramAt returns parameter i, at least lowest, or usual when it is missing.
func (d *decoder) paramAt(i, lowest, usual int) int {
	if i >= d.nparams {
		return usual
	}
	switch p := d.params[i]; p.kind {
	case missing:
		return usual
	case parts:
		return bad
	default:
		return max(p.n, lowest)
	}
}

// subparams reads the parts of a parameter, at most seven. Missing parts are bad.
func (d *decoder) subparams(p param) (values [8]int, n int, ok bool) {
	for i := range values {
		values[i] = bad
	}
	v, given := 0, false
	for i := p.start; ; i++ {
		if i < p.end && d.raw[i] != ':' {
			v, given = min(v*10+int(d.raw[i]-'0'), math.MaxInt32+1), true
			continue
		}
		if given {
			if v > math.MaxInt32 {
				return values, n, false
			}
			values[n] = v
		}
		n++
		if n == len(values) {
			return values, n, false
		}
		if i >= p.end {
			return values, n, true
		}
		v, given = 0, false
	}
}
