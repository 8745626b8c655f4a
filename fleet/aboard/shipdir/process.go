package shipdir

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
)

// Process identifies a process for good: the system uses a pid again after its process dies.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // boot and clock tick at which it began, "" where unknown
}

// Self is this process.
func Self() Process { return Identify(os.Getpid()) }

// Identify names the process that has this pid now.
func Identify(pid int) Process {
	start, _ := Inspect(pid)
	return Process{pid, start}
}

// Alive reports whether it still runs; a zombie does not.
func (p Process) Alive() bool {
	if p.PID <= 0 || syscall.Kill(p.PID, 0) == syscall.ESRCH {
		return false
	}
	start, state := Inspect(p.PID)
	return start == p.Start && state != 'Z'
}

// Signal sends to the process if it is still the same one.
func (p Process) Signal(s syscall.Signal) error {
	if !p.Alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.PID, s)
}

// Inspect returns when a process began and the letter of its state, from /proc.
// Without /proc it knows neither.
func Inspect(pid int) (start string, state byte) {
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
	return bootID() + "/" + fields[19], fields[0][0]
}

// bootID is what the machine's present run is called, for all of this process's life.
var bootID = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot))
})
