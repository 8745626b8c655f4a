package wire

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"unicode/utf8"
)

// Error is the error that the other end returned. A handler may return an *Error to add a code; for any other error,
// only its text is sent.
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

// ErrClosed is wrapped in every error that means that the connection has ended.
var ErrClosed = errors.New("connection has ended")

// maxErrorText bounds the text of an error, in bytes.
const maxErrorText = 64 << 10

// asError turns the error of a handler into the Error to be sent.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		e = &Error{Code: e.Code, Text: err.Error()} // a wrapped Error keeps its code and gets the text of the wrapping error
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

// closed returns the error of a connection that ended because of cause.
func closed(cause error) error {
	if cause == nil || errors.Is(cause, ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}

// HungUp reports whether the other end closed the connection, so that it did not break.
func HungUp(err error) bool {
	return err == ErrClosed || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) //nolint:errorlint // a broken one has its cause beside it
}

// Gone reports whether err means that the connection ended, and not that the other end refused or the caller gave up.
// A new connection may help.
func Gone(err error) bool {
	return errors.Is(err, ErrClosed)
}
