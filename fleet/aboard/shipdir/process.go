package shipdir

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process identifies a process uniquely. A pid is not enough, since the system reuses it.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // the boot and the clock tick at which the process began, "" if unknown
}

// Self returns the current process.
func Self() Process { return Identify(os.Getpid()) }

// Identify returns the process that has this pid now.
func Identify(pid int) Process {
	start, _ := Inspect(pid)
	return Process{pid, start}
}

// Alive reports whether the process still runs. A zombie does not.
func (p Process) Alive() bool {
	if p.PID <= 0 || syscall.Kill(p.PID, 0) == syscall.ESRCH {
		return false
	}
	start, state := Inspect(p.PID)
	return start == p.Start && state != 'Z'
}

// Signal sends a signal if the pid still belongs to the same process.
func (p Process) Signal(s syscall.Signal) error {
	if !p.Alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.PID, s)
}

// Inspect returns when a process began and the letter of its state, from /proc. Without /proc it returns zero values.
func Inspect(pid int) (start string, state byte) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// The second field is the command in parentheses, which may contain anything.
	end := strings.LastIndexByte(string(raw), ')')
	fields := strings.Fields(string(raw[end+1:]))
	if end < 0 || len(fields) < 20 {
		return "", 0
	}
	return bootID() + "/" + fields[19], fields[0][0]
}

// bootID returns the id of the machine's current boot.
var bootID = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot))
})

// waitLooking is Wait for systems that do not tell of the end of a process.
func (p Process) waitLooking(ctx context.Context) {
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for p.Alive() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
