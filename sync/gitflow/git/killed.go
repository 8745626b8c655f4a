package git

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// Unanswered tells whether the error of a git that was asked something is no answer: git was killed, or its context has ended.
func Unanswered(ctx context.Context, err error) bool {
	return Killed(err) || err != nil && ctx.Err() != nil
}

// Killed tells whether a git command of this side was killed.
func Killed(err error) bool {
	var failed *Error
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(failed.Err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() || status.ExitStatus() > 128+int(syscall.SIGHUP))
}
