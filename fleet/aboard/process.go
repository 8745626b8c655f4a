package aboard

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// process names a process for ever: a pid alone is used again after its death.
type process struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // boot and clock tick at which it began, "" where unknown
}

// self is this process.
func self() process { return identify(os.Getpid()) }

// identify names the process that has this pid now.
func identify(pid int) process {
	start, _ := inspect(pid)
	return process{pid, start}
}

// alive reports whether it still runs; a zombie does not.
func (p process) alive() bool {
	if p.PID <= 0 || syscall.Kill(p.PID, 0) == syscall.ESRCH {
		return false
	}
	start, state := inspect(p.PID)
	return start == p.Start && state != 'Z'
}

// signal sends to the process if it is still the same one.
func (p process) signal(s syscall.Signal) error {
	if !p.alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.PID, s)
}

// inspect returns when a process began and the letter of its state, from /proc.
// Without /proc it knows neither.
func inspect(pid int) (start string, state byte) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// The second field is the command in parentheses, which may hold anything.
	end := strings.LastIndexByte(string(raw), ')')
	fields := strings.Fields(string(raw[end+1:]))
	if end < 0 || len(fields) < 20 {
		return "", 0
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + "/" + fields[19], fields[0][0]
}
