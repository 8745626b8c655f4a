package link

import (
	"errors"
	"fmt"
	"path"

	"golang.org/x/crypto/ssh"
)

// ErrOutput is wrapped in the error of a command that printed more than it may.
var ErrOutput = errors.New("too much output")

// ErrCut is wrapped in the error of a command for which the ship did not report an exit status, so that its effect is
// unknown.
var ErrCut = errors.New("the ship ended it without an exit status")

// ExitError is the error of a command that ran and failed.
type ExitError struct {
	Name    string // of the ship
	Command string // the program, without its arguments; "" when Stderr says all of it
	Code    int    // exit status; 128 + number of the signal that ended it
	Signal  string // name of that signal without SIG, "" if none ended it
	Stderr  string // the last lines of its standard error
}

func (e *ExitError) Error() string {
	if e.Command == "" {
		return e.Stderr
	}
	text := fmt.Sprintf("%s: %s: exit status %d", e.Name, e.Command, e.Code)
	if e.Signal != "" {
		text = fmt.Sprintf("%s: %s: ended by signal %s", e.Name, e.Command, e.Signal)
	}
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// exitError converts the error of ssh.Session.Wait.
func (s *session) exitError(err error) error {
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &ExitError{
			Name:    s.name,
			Command: path.Base(s.program),
			Code:    exit.ExitStatus(),
			Signal:  exit.Signal(),
			Stderr:  s.stderr.String(),
		}
	case s.conn.broken():
		return s.conn.lostError(s.name)
	default:
		return fmt.Errorf("%s: %s: %w", s.name, path.Base(s.program), ErrCut)
	}
}
