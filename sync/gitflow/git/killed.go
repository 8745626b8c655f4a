package git

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// Unanswered reports whether a git failed without an answer: git was killed, or ctx has ended.
func Unanswered(ctx context.Context, err error) bool {
	return Killed(err) || err != nil && ctx.Err() != nil
}

// Killed reports whether a git command on this machine was killed.
func Killed(err error) bool {
	var failed *Error
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(failed.Err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() || status.ExitStatus() > 128+int(syscall.SIGHUP))
}
