package logs

// scanner walks over JSON. It fails when it is unsure.
type scanner struct {
	b []byte
	i int
}

// deepest bounds how deep values are nested.
const deepest = 64

func (s *scanner) skipSpace() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// open walks over c and the space around it, if c comes next.
func (s *scanner) open(c byte) bool {
	s.skipSpace()
	if s.i >= len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	s.skipSpace()
	return true
}

// readPlainString reads a string of printable ASCII without escapes.
func (s *scanner) readPlainString() ([]byte, bool) {
	w, plain, ok := s.readString()
	return w, ok && plain
}

// readString reads a string as written, and reports whether it is printable ASCII without escapes.
func (s *scanner) readString() (text []byte, plain, ok bool) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, false, false
	}
	from := s.i + 1
	plain = true
	for i := from; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.i = i + 1
			return s.b[from:i], plain, true
		case c == '\\':
			plain = false
			n := escape(s.b[i+1:])
			if n == 0 {
				return nil, false, false
			}
			i += n
		case c < ' ':
			return nil, false, false
		case c > '~':
			plain = false
		}
	}
	return nil, false, false
}

// escape returns the length of an escape after the backslash, 0 when it is invalid.
func escape(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	switch s[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(s) < 5 {
			return 0
		}
		for _, c := range s[1:5] {
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 5
	}
	return 0
}

// readInteger reads a whole number of up to eighteen digits.
func (s *scanner) readInteger() (int, bool) {
	from := s.i
	n := 0
	for s.i < len(s.b) && isDigit(s.b[s.i]) && s.i-from < 18 {
		n = n*10 + int(s.b[s.i]-'0')
		s.i++
	}
	length := s.i - from
	if length == 0 || length > 1 && s.b[from] == '0' {
		return 0, false
	}
	return n, s.i == len(s.b) || !numeral(s.b[s.i])
}

// numeral reports whether c continues a number.
func numeral(c byte) bool { return isDigit(c) || c == '.' || c|0x20 == 'e' }

// readValue walks over any value and returns it as written.
func (s *scanner) readValue() ([]byte, bool) {
	from := s.i
	ok := s.skipValue(0)
	return s.b[from:s.i], ok
}

func (s *scanner) skipValue(depth int) bool {
	if s.i >= len(s.b) || depth > deepest {
		return false
	}
	switch c := s.b[s.i]; {
	case c == '"':
		_, _, ok := s.readString()
		return ok
	case c == '{' || c == '[':
		return s.inside(c, depth)
	case c == '-' || isDigit(c):
		return s.number()
	}
	for _, name := range []string{"true", "false", "null"} {
		if end := s.i + len(name); end <= len(s.b) && string(s.b[s.i:end]) == name {
			s.i = end
			return true
		}
	}
	return false
}

// inside walks over an object or an array.
func (s *scanner) inside(kind byte, depth int) bool {
	end := kind + 2 // in ASCII, ] and } are two after [ and {
	s.i++
	s.skipSpace()
	if s.i < len(s.b) && s.b[s.i] == end {
		s.i++
		return true
	}
	for {
		if kind == '{' {
			if _, _, ok := s.readString(); !ok || !s.open(':') {
				return false
			}
		}
		if !s.skipValue(depth + 1) {
			return false
		}
		s.skipSpace()
		if s.i >= len(s.b) {
			return false
		}
		c := s.b[s.i]
		s.i++
		switch c {
		case end:
			return true
		case ',':
			s.skipSpace()
		default:
			return false
		}
	}
}

func (s *scanner) number() bool {
	if s.b[s.i] == '-' {
		s.i++
	}
	from := s.i
	if n := s.digits(); n == 0 || n > 1 && s.b[from] == '0' {
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if s.digits() == 0 {
			return false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits() > 0
	}
	return true
}

func (s *scanner) digits() int {
	from := s.i
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		s.i++
	}
	return s.i - from
}
