// Package process inspects and signals the processes of this machine.
package process

import "syscall"

// ID identifies a process uniquely. A pid is not enough, since another process may get it later.
type ID struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"` // differs between processes that had the same pid
}

// Process is one line of the process table.
type Process struct {
	ID
	Parent int
	Zombie bool
}

// Identify returns the ID of the process with this pid, the zero ID if there is none.
func Identify(pid int) ID {
	p, err := Inspect(pid)
	if err != nil || p.Zombie {
		return ID{}
	}
	return p.ID
}

// Alive reports whether the process still runs. A zombie does not.
func (i ID) Alive() bool { return i.PID > 1 && Identify(i.PID) == i }

// Signal sends a signal, but not to another process with the same pid.
func (i ID) Signal(sig syscall.Signal) {
	if i.Alive() {
		_ = syscall.Kill(i.PID, sig)
	}
}

// Kill kills the process.
func (i ID) Kill() { i.Signal(syscall.SIGKILL) }

// Descendants returns the living descendants of a process.
func Descendants(all []Process, root int) []Process {
	children := map[int][]Process{}
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	var below []Process
	queue := []int{root}
	for len(queue) > 0 {
		for _, child := range children[queue[0]] {
			queue = append(queue, child.PID)
			if !child.Zombie {
				below = append(below, child)
			}
		}
		queue = queue[1:]
	}
	return below
}
