package logs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
)

// appendSaid appends the text of a raw log line, if it has any. It equals WithoutTime and is for
// lines that are searched, not shown.
func appendSaid(said, raw []byte) []byte {
	f, ok := scanLine(raw)
	if !ok || len(f.ship) > clean.Longest {
		return appendParsed(said, raw)
	}
	begin := len(said)
	said = append(append(append(said, '['), f.ship...), "] "...)
	if f.turn > 0 {
		said = fmt.Appendf(said, "[Turn %d] ", f.turn)
	}
	if k := string(f.kind); k == "error" {
		said = append(append(said, k...), ": "...)
	}
	words := len(said)
	switch {
	case len(f.text) == 0:
		said = append(said, inWords(fleet.LogLine{Kind: string(f.kind), Data: f.data})...)
	case f.plain:
		said = append(said, f.text...)
	default:
		if said, ok = unquote(said, f.text); !ok {
			return appendParsed(said[:begin], raw)
		}
	}
	if text := said[words:]; len(f.text) > 0 {
		if harmless(text) {
			said = said[:words+len(strings.TrimRight(string(text), " \t\r\n"))]
		} else {
			said = append(said[:words], inWords(fleet.LogLine{Text: string(text)})...)
		}
	}
	if len(said) == words {
		return said[:begin]
	}
	return said
}

// appendParsed is appendSaid for an unusual line.
func appendParsed(said, raw []byte) []byte {
	l, ok := Parse(raw)
	if !ok || l.Words == "" {
		return said
	}
	return append(said, l.WithoutTime()...)
}

// harmless reports whether cleaning leaves text as it is.
func harmless(text []byte) bool {
	if len(text) > clean.Longest {
		return false
	}
	for _, c := range text {
		if (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// unquote appends the value of a JSON string. It returns false when only encoding/json can decide:
// for invalid characters and half surrogate pairs.
func unquote(out, s []byte) ([]byte, bool) {
	if !utf8.Valid(s) {
		return out, false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			var r rune
			for _, c := range s[i+1 : i+5] {
				r = r<<4 | rune(nibble(c))
			}
			if r >= 0xD800 && r <= 0xDFFF {
				return out, false
			}
			out = utf8.AppendRune(out, r)
			i += 4
		default: // the character itself
			out = append(out, s[i])
		}
	}
	return out, true
}

// nibble returns the value of a hexadecimal digit.
func nibble(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
