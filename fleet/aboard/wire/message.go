package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxMessage is the longest message in bytes, newline included.
const MaxMessage = 1 << 20

// kind says what a message is.
type kind string

const (
	kindCall   kind = "call"   // id, method, params
	kindNote   kind = "note"   // method, params; there is no reply
	kindReply  kind = "reply"  // id, result or error
	kindCancel kind = "cancel" // id of a call whose caller has given up
	kindPing   kind = "ping"
	kindPong   kind = "pong"
)

// message is one line on the wire.
type message struct {
	Kind   kind            `json:"kind"`
	ID     uint64          `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// errTooLong ends the connection when the other end sends more than MaxMessage bytes without a newline.
var errTooLong = fmt.Errorf("message is longer than %d bytes", MaxMessage)

// encode returns m as a line.
func encode(m message) ([]byte, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(line)+1 > MaxMessage {
		return nil, errTooLong
	}
	return append(line, '\n'), nil
}

// decode reads a message from an untrusted line.
func decode(line []byte) (message, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var m message
	if err := d.Decode(&m); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return message{}, fmt.Errorf("message is not valid: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return message{}, errors.New("message is not valid: more than one value on a line")
	}
	return m, m.check()
}

// check returns an error unless m has exactly the fields that its kind needs.
func (m message) check() error {
	want := message{Kind: m.Kind}
	switch m.Kind {
	case kindCall:
		want.ID, want.Method, want.Params = m.ID, m.Method, m.Params
		if m.ID == 0 || m.Method == "" {
			return errors.New("message is not valid: a call needs an id and a method")
		}
	case kindNote:
		want.Method, want.Params = m.Method, m.Params
		if m.Method == "" {
			return errors.New("message is not valid: a notification needs a method")
		}
	case kindReply:
		want.ID, want.Result, want.Error = m.ID, m.Result, m.Error
		if m.ID == 0 || (m.Result != nil && m.Error != nil) {
			return errors.New("message is not valid: a reply needs an id and has a result or an error")
		}
	case kindCancel:
		want.ID = m.ID
		if m.ID == 0 {
			return errors.New("message is not valid: a cancellation needs an id")
		}
	case kindPing, kindPong:
	default:
		return fmt.Errorf("message is not valid: unknown kind %.20q", m.Kind)
	}
	if m.ID != want.ID || m.Method != want.Method || (m.Params != nil) != (want.Params != nil) ||
		(m.Result != nil) != (want.Result != nil) || m.Error != want.Error {
		return fmt.Errorf("message is not valid: a %s has a field that it must not have", m.Kind)
	}
	return nil
}

// readLine returns the next line without its newline. It holds at most MaxMessage bytes in memory. The line is valid
// until the next call. If the last line lacks a newline, the error is io.ErrUnexpectedEOF.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		if len(buf)+len(part) > MaxMessage {
			return nil, errTooLong
		}
		buf = append(buf, part...)
		switch {
		case err == nil:
			return buf[:len(buf)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(buf) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
