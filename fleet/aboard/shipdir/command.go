package shipdir

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/proto"
)

// EndCommand kills the command of the script agent's task. If the script agent was killed, its command must not go on
// working in the tree beside the next one.
func (h Dir) EndCommand() {
	var p Process
	if ReadJSON(h.Command(), &p) == nil && p.Alive() {
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
	}
	_ = os.Remove(h.Command())
}

// HowEnded returns how a process ended, from the error of Wait.
func HowEnded(err error) proto.AgentExited {
	var e *exec.ExitError
	if err == nil || errors.Is(err, exec.ErrWaitDelay) { // ErrWaitDelay: only a process that it left behind still had its output open
		return proto.AgentExited{}
	}
	if !errors.As(err, &e) {
		return proto.AgentExited{Code: -1, Reason: err.Error()}
	}
	if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return proto.AgentExited{Code: -1, Signal: unix.SignalName(s.Signal())}
	}
	return proto.AgentExited{Code: e.ExitCode()}
}
