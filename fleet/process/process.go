// Package process knows the processes of this machine.
package process

import "syscall"

// ID names a process for good: a pid alone may belong to another one later.
type ID struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"` // differs between processes that have the same pid at different times
}

// Process is one line of the process table.
type Process struct {
	ID
	Parent int
	Zombie bool
}

// Identify returns the process that has a pid now, the zero ID if none has.
func Identify(pid int) ID {
	p, err := Inspect(pid)
	if err != nil || p.Zombie {
		return ID{}
	}
	return p.ID
}

// Alive tells whether it still runs; a zombie does not.
func (i ID) Alive() bool { return i.PID > 1 && Identify(i.PID) == i }

// Signal sends a signal to the process and to no other one.
func (i ID) Signal(sig syscall.Signal) {
	if i.Alive() {
		_ = syscall.Kill(i.PID, sig)
	}
}

// Kill ends it at once.
func (i ID) Kill() { i.Signal(syscall.SIGKILL) }

// Descendants are the living processes below one.
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
