package attach

import (
	"bytes"
	"strconv"
	"unicode"
)

// found says which kind of key typed bytes begin with.
type found int

const (
	otherKey  found = iota
	ctrlQ           // a press
	ctrlQUp         // a release, or a repeat while it is held down
	partOfKey       // more bytes must come to decide
)

// longest bounds a key report that may be a ctrl-q.
const longest = 40

// Lock keys count as modifiers in key reports; ignore them.
const locks, ctrl = 64 | 128, 4

// matchCtrlQ looks for ctrl-q at the beginning of data, in the forms that terminals send: the plain
// byte, CSI 113;5u of kitty's keyboard protocol and CSI 27;5;113~ of xterm's. It returns the length
// of the key; for another key, a length that is safe to pass on.
func matchCtrlQ(data []byte) (int, found) {
	switch data[0] {
	case 0x11:
		return 1, ctrlQ
	case 0x1b:
	default:
		if n := bytes.IndexAny(data, "\x11\x1b"); n > 0 {
			return n, otherKey
		}
		return len(data), otherKey
	}
	if len(data) == 1 {
		return 0, partOfKey
	}
	if data[1] != '[' {
		return 1, otherKey
	}
	for i, b := range data[2:] {
		switch {
		case b >= '0' && b <= '9' || b == ';' || b == ':':
			if i > longest {
				return 1, otherKey
			}
		case b == 'u' || b == '~':
			return i + 3, report(data[2:i+2], b)
		default:
			return 1, otherKey
		}
	}
	return 0, partOfKey
}

// report returns whether a key report is a ctrl-q.
func report(params []byte, final byte) found {
	fields := bytes.Split(params, []byte{';'})
	var code, mods []byte
	switch {
	case final == 'u' && len(fields) >= 2:
		code, mods = fields[0], fields[1]
	case final == '~' && len(fields) == 3 && string(fields[0]) == "27":
		code, mods = fields[2], fields[1]
	default:
		return otherKey
	}
	mods, event, _ := bytes.Cut(mods, []byte{':'})
	m, err := strconv.ParseUint(string(mods), 10, 16)
	if err != nil || m == 0 || (m-1)&^locks != ctrl || !isQKey(code) {
		return otherKey
	}
	if len(event) > 0 && string(event) != "1" {
		return ctrlQUp
	}
	return ctrlQ
}

// isQKey reports whether a key code of kitty's protocol is the q key: its own code or, on a
// keyboard of another script, the third code, which names the place of the key.
func isQKey(code []byte) bool {
	all := bytes.Split(code, []byte{':'})
	own, err := strconv.ParseUint(string(all[0]), 10, 32)
	if err == nil && own > unicode.MaxASCII && len(all) == 3 {
		own, err = strconv.ParseUint(string(all[2]), 10, 32)
	}
	return err == nil && own == 'q'
}
