package wire

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"unicode/utf8"
)

// Error is what the other end answered instead of a result. A handler may return
// one to say more than text; any other error of a handler travels as its text.
type Error struct {
	Code string `json:"code,omitempty"` // one word for programs, often ""
	Text string `json:"text"`           // for people
}

func (e *Error) Error() string { return e.Text }

// The codes that wire itself uses.
const (
	CodeBusy    = "busy"    // too many calls at once; try again later
	CodeUnknown = "unknown" // there is no such method
	CodePanic   = "panic"   // the handler broke
)

// ErrClosed is in every error that says that the connection has ended.
var ErrClosed = errors.New("connection has ended")

// maxErrorText keeps an error from filling a message.
const maxErrorText = 64 << 10

// asError turns what a handler returned into what travels.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		e = &Error{Code: e.Code, Text: err.Error()} // a wrapped one keeps its code and takes the words around it
	} else {
		e = &Error{Text: err.Error()}
	}
	if len(e.Text) > maxErrorText {
		cut := maxErrorText
		for cut > 0 && !utf8.RuneStart(e.Text[cut]) {
			cut--
		}
		e.Text = e.Text[:cut] + "…"
	}
	return e
}

// closed is the error of a connection that ended because of cause.
func closed(cause error) error {
	if cause == nil || errors.Is(cause, ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}

// HungUp reports whether err says that the other end closed the connection, rather than that something broke it.
func HungUp(err error) bool {
	return err == ErrClosed || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) //nolint:errorlint // a broken one has its cause beside it
}

// Gone reports whether err says that the connection ended, rather than that the
// other end refused or that the caller gave up. Asking again on a new connection may help.
func Gone(err error) bool {
	return errors.Is(err, ErrClosed)
}
