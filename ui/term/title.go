package term

import (
	"slices"
	"unicode/utf8"

	"ocaptain/fleet/clean"
)

const (
	maxTitle  = 1024 // bytes
	maxTitles = 16   // saved titles
)

// osc executes an operating system command. Only titles have an effect.
func (s *Screen) osc(p []byte) {
	n, cmd := 0, 0
	for ; n < len(p) && p[n] >= '0' && p[n] <= '9'; n++ {
		cmd = min(cmd*10+int(p[n]-'0'), maxString)
	}
	if n == 0 || cmd != 0 && cmd != 2 {
		return
	}
	p = p[n:]
	if len(p) > 0 && p[0] == ';' {
		p = p[1:]
	}
	if len(s.decoder.str) == maxString || len(p) > maxTitle {
		p = wholeRunes(p[:min(len(p), maxTitle)])
	}
	if utf8.Valid(p) {
		s.title = clean.Line(string(p))
	}
}

// wholeRunes drops an incomplete character at the end.
func wholeRunes(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if start := len(p) - i; utf8.RuneStart(p[start]) {
			if !utf8.FullRune(p[start:]) {
				return p[:start]
			}
			break
		}
	}
	return p
}

// windowOps executes CSI t. Only saving and restoring titles has an effect.
func (s *Screen) windowOps() {
	d := &s.decoder
	for i := 0; ; i++ {
		switch d.paramAt(i, 0, bad) {
		case bad:
			return
		case 3, 4, 8:
			i += 2
			if d.paramAt(i-1, 0, bad) == bad || d.paramAt(i, 0, bad) == bad {
				return
			}
		case 9, 10:
			i++
			if d.paramAt(i, 0, bad) == bad {
				return
			}
		case 22:
			i++
			if what := d.paramAt(i, 0, bad); what == bad {
				return
			} else if what == 0 || what == 2 {
				s.titles = append(s.titles, s.title)
				s.titles = slices.Clone(s.titles[max(0, len(s.titles)-maxTitles):])
			}
		case 23:
			i++
			what, n := d.paramAt(i, 0, bad), len(s.titles)
			if what == bad {
				return
			} else if n > 0 && (what == 0 || what == 2) {
				s.title, s.titles = s.titles[n-1], s.titles[:n-1]
			}
		}
	}
}

// seen is what is visible of a screen besides its cells.
type seen struct {
	cursor Cursor
	modes  Modes
	title  string
	bells  int
}

func (s *Screen) visibleState() seen { return seen{s.Cursor(), s.Modes(), s.title, s.bells} }
