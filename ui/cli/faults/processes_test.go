package faults

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/proctest"
	"ocaptain/ui/cli/faults/reader"
)

// process is a process of this machine.
type process struct {
	pid     int
	command string
}

// processes lists the processes that have a word in their command line, environment or directory.
func processes(word string) (all []process) {
	for _, text := range proctest.With(word) {
		var p process
		id, command, _ := strings.Cut(text, " ")
		_, _ = fmt.Sscan(id, &p.pid)
		p.command = strings.TrimSpace(command)
		if reader.Alive(p.pid) {
			all = append(all, p)
		}
	}
	return all
}

// is reports whether the command line has some words, and the process is not just the sandbox around such a process.
func (p process) is(words string) bool {
	return strings.Contains(p.command+" ", words) && !strings.Contains(p.command, "bwrap ")
}

// hub lists the processes of helm and its children.
func (v *voyage) hub() []process {
	return slices.DeleteFunc(processes(v.home), func(p process) bool { return !p.is(" helm run ") && !p.is(" helm guard ") })
}

// aboard lists the processes of a ship. It leaves out the server that stands for the machine's own, and its sandbox: only
// the owner of the machine starts them again.
func (v *voyage) aboard(ship string) (all []process) {
	for name, dir := range v.ships() {
		if name == ship {
			all = processes(dir)
		}
	}
	return slices.DeleteFunc(all, func(p process) bool { return strings.Contains(p.command, "/usr/sbin/sshd -D ") })
}

// someShip draws a ship.
func (v *voyage) someShip() string {
	var all []string
	for name := range v.ships() {
		all = append(all, name)
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return all[v.rng.IntN(len(all))]
}

// signal sends a signal to processes, and returns how many got it.
func (v *voyage) signal(what string, s syscall.Signal, all []process) (n int) {
	for _, p := range all {
		if syscall.Kill(p.pid, s) == nil {
			n++
		}
	}
	v.note("%s: %v to %d processes", what, s, n)
	return n
}

// extinguish kills all processes that have a word in them until none is left.
func extinguish(word string) int {
	n := 0
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		all := processes(word)
		if len(all) == 0 {
			break
		}
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		n += len(all)
	}
	return n
}
