package cli

import (
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
)

// The exit codes.
const (
	OK          = 0
	Failed      = 1   // the command tried and did not succeed
	Usage       = 2   // the command line, the configuration or the plan is wrong
	NotFound    = 3   // a name matches nothing, or more than one thing
	Refused     = 4   // the rules forbid it, or the captain did not confirm
	HelmDown    = 5   // helm does not run and could not be started
	Missing     = 6   // a required program or token is missing
	Interrupted = 130 // by ctrl-c
)

// exitHelp is the text of "ocaptain help exit-codes".
const exitHelp = `Every command ends with one of these codes:

    0  it is done
    1  it was tried and did not work
    2  the command line, the configuration or the plan is wrong; nothing was changed
    3  not found: a name means nothing, or more than one thing
    4  refused: the rules forbid it, or you did not confirm it
    5  helm does not run and could not be started
    6  a program or a token that is needed is missing
  130  interrupted by ctrl-c; nothing is left half-done`

// exitError is an error with an exit code and advice.
type exitError struct {
	code   int
	err    error
	advice string
}

func (p *exitError) Error() string { return p.err.Error() }
func (p *exitError) Unwrap() error { return p.err }

// newExitError makes an error with an exit code; advice says what to do, "" when the text says so already.
func newExitError(code int, advice, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...), advice}
}

// usageError returns the error of a wrong command line.
func usageError(format string, args ...any) error { return newExitError(Usage, "", format, args...) }

// silent returns the error of a command whose output has already said what is wrong.
func silent(code int) error { return &exitError{code: code, err: errors.New("")} }

var errInterrupted = newExitError(Interrupted, "", "interrupted")

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var p *exitError
	var none *fleet.NoVoyage
	var bad *config.Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &p):
		return p.code
	case errors.As(err, &none), errors.Is(err, api.ErrNotFound):
		return NotFound
	case errors.Is(err, api.ErrRefused):
		return Refused
	case errors.Is(err, api.ErrDown):
		return HelmDown
	case errors.As(err, &bad):
		return Usage
	}
	return Failed
}

// adviceOf returns the advice that belongs to an error.
func adviceOf(err error) string {
	var p *exitError
	if errors.As(err, &p) {
		return p.advice
	}
	return ""
}
