package attach

import (
	"bytes"
	"time"
)

// keys finds the ctrl-q that leaves in a stream of typed bytes. A ctrl-q in a bracketed paste is
// text.
type keys struct {
	held    []byte // the beginning of a possible ctrl-q
	pressed bool   // a ctrl-q came, and nothing since
	pasting bool
	last    [len(pasteBegin)]byte // the bytes last sent, oldest first
}

// Terminals put these around pasted text.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// split returns the typed bytes to send. If the captain leaves, it also returns what was typed
// after that.
func (k *keys) split(typed []byte) (send, rest []byte, leave bool) {
	data := typed
	if len(k.held) > 0 {
		data = append(k.held, typed...)
		k.held = nil
	}
	for len(data) > 0 {
		if k.pasting {
			n := k.pasteLength(data)
			send, data = append(send, data[:n]...), data[n:]
			continue
		}
		n, what := matchCtrlQ(data)
		switch {
		case what == partOfKey:
			k.held = bytes.Clone(data)
			return send, nil, false
		case what == ctrlQUp:
		case what == ctrlQ && k.pressed:
			k.pressed = false
			send = append(send, 0x11)
			k.noteSent(0x11)
		case what == ctrlQ:
			k.pressed = true
		case k.pressed:
			return send, data, true
		default:
			send = append(send, data[:n]...)
			for _, b := range data[:n] {
				k.noteSent(b)
			}
		}
		data = data[n:]
	}
	return send, nil, false
}

// patience returns how long to wait for more bytes before timeOut, 0 for no limit.
func (k *keys) patience() time.Duration {
	switch {
	case k.pressed:
		return again
	case len(k.held) > 0:
		return unfinished
	case k.pasting:
		return pause
	}
	return 0
}

// timeOut ends the wait for the rest of a key, for a second ctrl-q, or for the end of a paste.
func (k *keys) timeOut() (send, rest []byte, leave bool) {
	if k.pasting {
		k.pasting = false
		return nil, nil, false
	}
	held := k.held
	k.held = nil
	if k.pressed {
		return nil, held, true
	}
	for _, b := range held {
		k.noteSent(b)
	}
	return held, nil, false
}

// pasteLength returns how many of the bytes belong to the paste.
func (k *keys) pasteLength(data []byte) int {
	for i, b := range data {
		if k.noteSent(b); !k.pasting {
			return i + 1
		}
	}
	return len(data)
}

// noteSent records a byte that goes to the ship, to see where a paste begins and ends even if its
// marks arrive in pieces.
func (k *keys) noteSent(b byte) {
	copy(k.last[:], k.last[1:])
	k.last[len(k.last)-1] = b
	if b == '~' {
		switch string(k.last[:]) {
		case pasteBegin:
			k.pasting = true
		case pasteEnd:
			k.pasting = false
		}
	}
}
