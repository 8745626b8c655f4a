package logs

import (
	"time"

	"ocaptain/fleet"
)

// fields is what the index and the search need of a line of a log. The slices lie in the line.
type fields struct {
	at               int64 // in nanoseconds since 1970
	ship, role, kind []byte
	turn             int
	text             []byte // as it is written
	plain            bool   // text is printable ASCII without escapes, so it is what it says
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

// scanLine reads a line as helm writes it, many times faster than encoding/json. It is
// false for everything that is unusual, which encoding/json must judge.
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
			var at []byte
			if at, ok = s.readPlainString(); ok {
				f.at, ok = instant(at)
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

// hasWords reports whether the line that f was scanned from says something in words.
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

// instant reads a time as time.Time writes it, between 1970 and 2199.
func instant(s []byte) (int64, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	century, ok1 := readTwoDigits(s[0:], 19, 21)
	year, ok2 := readTwoDigits(s[2:], 0, 99)
	month, ok3 := readTwoDigits(s[5:], 1, 12)
	day, ok4 := readTwoDigits(s[8:], 1, 31)
	hour, ok5 := readTwoDigits(s[11:], 0, 23)
	minute, ok6 := readTwoDigits(s[14:], 0, 59)
	second, ok7 := readTwoDigits(s[17:], 0, 59)
	year += century * 100
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 || year < 1970 || day > daysInMonth(year, month) {
		return 0, false
	}
	at := int64(daysBefore(year, month)+day-1)*86400 + int64(hour*3600+minute*60+second)
	nanos, s := fraction(s[19:])
	switch {
	case len(s) == 1 && s[0] == 'Z':
	case len(s) == 6 && (s[0] == '+' || s[0] == '-') && s[3] == ':':
		hours, ok1 := readTwoDigits(s[1:], 0, 23)
		minutes, ok2 := readTwoDigits(s[4:], 0, 59)
		if !ok1 || !ok2 {
			return 0, false
		}
		offset := int64(hours*3600 + minutes*60)
		if s[0] == '+' {
			offset = -offset
		}
		at += offset
	default:
		return 0, false
	}
	return at*int64(time.Second) + nanos, true
}

// fraction reads up to nine digits after a point, and returns what follows them.
func fraction(s []byte) (int64, []byte) {
	if s[0] != '.' {
		return 0, s
	}
	nanos, unit := int64(0), int64(time.Second)
	i := 1
	for ; i < len(s) && i <= 9 && isDigit(s[i]); i++ {
		unit /= 10
		nanos += int64(s[i]-'0') * unit
	}
	if i == 1 {
		return 0, nil
	}
	return nanos, s[i:]
}

// readTwoDigits reads a number of two digits.
func readTwoDigits(s []byte, least, most int) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	n := int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n >= least && n <= most
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLeapYear(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysInMonth(year, month int) int {
	switch month {
	case 2:
		if isLeapYear(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysBefore is the number of days from 1970 to the first of a month.
func daysBefore(year, month int) int {
	y := year - 1
	n := (year-1970)*365 + (y/4 - y/100 + y/400) - (1969/4 - 1969/100 + 1969/400)
	for m := 1; m < month; m++ {
		n += daysInMonth(year, m)
	}
	return n
}
