package cli

import (
	"bytes"
	"io"
	"time"
)

// The forms in which terminals send ctrl-q: plain, and with the keyboard modes of
// kitty and of xterm.
var ctrlQ = [][]byte{{0x11}, []byte("\x1b[113;5u"), []byte("\x1b[27;5;113~")}

// again is how long a second ctrl-q may take to come, and unfinished how long the
// rest of a key that arrived in part.
const (
	again      = 300 * time.Millisecond
	unfinished = 50 * time.Millisecond
)

// keys finds the ctrl-q that leaves in a stream of typed bytes.
type keys struct {
	held    []byte // the beginning of what may become a ctrl-q
	pressed bool   // one ctrl-q came, and nothing since
}

// feed takes typed bytes and returns those to be sent. It stops where the captain leaves.
func (k *keys) feed(typed []byte) (send []byte, leave bool) {
	data := append(k.held, typed...)
	k.held = nil
	for len(data) > 0 {
		n, part := match(data)
		switch {
		case n > 0 && k.pressed:
			send, k.pressed = append(send, 0x11), false
			data = data[n:]
		case n > 0:
			k.pressed = true
			data = data[n:]
		case part:
			k.held = bytes.Clone(data)
			return send, false
		case k.pressed:
			return send, true
		default:
			send = append(send, data[0])
			data = data[1:]
		}
	}
	return send, false
}

// match returns the length of the ctrl-q that data begins with, and whether it may
// become one when more comes. A lone escape is a key of its own.
func match(data []byte) (n int, part bool) {
	for _, q := range ctrlQ {
		if bytes.HasPrefix(data, q) {
			return len(q), false
		}
		if len(data) > 1 && bytes.HasPrefix(q, data) {
			part = true
		}
	}
	return 0, part
}

// readKeys copies typed bytes until the input ends or the captain leaves; then it returns true.
func readKeys(in io.Reader, out io.Writer) bool {
	typed := make(chan []byte)
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(typed)
		for {
			buf := make([]byte, 4096)
			n, err := in.Read(buf)
			if n > 0 {
				select {
				case typed <- buf[:n]:
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	var k keys
	for {
		var late <-chan time.Time
		switch {
		case len(k.held) > 0:
			late = time.After(unfinished)
		case k.pressed:
			late = time.After(again)
		}
		var send []byte
		var leave bool
		select {
		case data, ok := <-typed:
			if !ok {
				return false
			}
			send, leave = k.feed(data)
		case <-late:
			if leave = k.pressed; !leave {
				send, k.held = k.held, nil
			}
		}
		if len(send) > 0 {
			if _, err := out.Write(send); err != nil {
				return false
			}
		}
		if leave {
			return true
		}
	}
}
