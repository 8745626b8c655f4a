package logs

import (
	"time"

	"ocaptain/fleet"
)

// fields are the fields of a log line that the index and the search need. Its slices point into the line.
type fields struct {
	at               int64 // in nanoseconds since 1970
	ship, role, kind []byte
	turn             int
	text             []byte // as written in JSON
	plain            bool   // text is printable ASCII without escapes, so it is its own value
	data             []byte
}

// The fields of a line, as bits.
const (
	hasTime = 1 << iota
	hasShip
	hasRole
	hasKind
	hasTurn
	hasTask
	hasText
	hasData
	hasJournal
	hasSeq
)

// scanLine reads a line as helm writes it, many times faster than encoding/json. It returns false
// for anything unusual, which encoding/json must read.
func scanLine(line []byte) (fields, bool) {
	s := scanner{b: line}
	var f fields
	seen := 0
	if !s.open('{') {
		return f, false
	}
	for {
		key, ok := s.readPlainString()
		if !ok || !s.open(':') {
			return f, false
		}
		s.skipSpace()
		bit := 0
		switch string(key) {
		case "t":
			bit = hasTime
			var text []byte
			if text, ok = s.readPlainString(); ok {
				var at time.Time
				ok = at.UnmarshalText(text) == nil && at.Year() >= 1970 && at.Year() < 2200
				f.at = at.UnixNano()
			}
		case "ship":
			bit = hasShip
			f.ship, ok = s.readPlainString()
		case "role":
			bit = hasRole
			f.role, ok = s.readPlainString()
		case "kind":
			bit = hasKind
			f.kind, ok = s.readPlainString()
		case "turn":
			bit = hasTurn
			f.turn, ok = s.readInteger()
		case "task":
			bit = hasTask
			_, _, ok = s.readString()
		case "text":
			bit = hasText
			f.text, f.plain, ok = s.readString()
		case "data":
			bit = hasData
			f.data, ok = s.readValue()
		case "journal":
			bit = hasJournal
			_, _, ok = s.readString()
		case "seq":
			bit = hasSeq
			_, ok = s.readInteger()
		}
		if !ok || bit == 0 || seen&bit != 0 {
			return f, false
		}
		seen |= bit
		if s.open(',') {
			s.skipSpace()
			continue
		}
		ok = s.open('}')
		s.skipSpace()
		return f, ok && s.i == len(line) && seen&hasTime != 0
	}
}

// hasWords reports whether the line of f has words.
func (f fields) hasWords(line []byte) bool {
	if len(f.text) == 0 {
		return inWords(fleet.LogLine{Kind: string(f.kind), Data: f.data}) != ""
	}
	if c := f.text[0]; c > ' ' && c <= '~' && c != '\\' {
		return true
	}
	l, _ := Parse(line)
	return l.Words != ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
