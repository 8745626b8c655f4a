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

// process is one that runs on this machine.
type process struct {
	pid     int
	command string
}

// processes lists those that have a word in their command line, environment or directory.
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

// is tells whether its command line has some words, and whether it is more than the walls around that.
func (p process) is(words string) bool {
	return strings.Contains(p.command+" ", words) && !strings.Contains(p.command, "bwrap ")
}

// hub lists the processes of the captain's machine that are helm's own.
func (v *voyage) hub() []process {
	return slices.DeleteFunc(processes(v.home), func(p process) bool { return !p.is(" helm run ") && !p.is(" helm guard ") })
}

// aboard lists the processes of a ship. The server that stands for a machine's own, with its walls, is none of them: nobody
// but who owns the machine starts it again.
func (v *voyage) aboard(ship string) (all []process) {
	for name, dir := range v.ships() {
		if name == ship {
			all = processes(dir)
		}
	}
	return slices.DeleteFunc(all, func(p process) bool { return strings.Contains(p.command, "/usr/sbin/sshd -D ") })
}

// someShip draws one.
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

// signal sends a signal to processes, and tells how many were there to get it.
func (v *voyage) signal(what string, s syscall.Signal, all []process) (n int) {
	for _, p := range all {
		if syscall.Kill(p.pid, s) == nil {
			n++
		}
	}
	v.note("%s: %v to %d processes", what, s, n)
	return n
}

// extinguish kills all that has a word in it until nothing is left.
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
