package faults

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli/faults/reader"
)

// sails lists faults of another voyage of the same captain, while it is provisioned. The test sinks that voyage in the end; then
// nothing of it may be left.
var sails = []fault{
	early("sail is killed", func(_ *voyage, sail *os.Process) { _ = sail.Kill() }),
	early("terminal of sail is closed", func(_ *voyage, sail *os.Process) { _ = sail.Signal(syscall.SIGHUP) }),
	early("sail is interrupted", func(_ *voyage, sail *os.Process) { _ = sail.Signal(os.Interrupt) }),
	early("sail is interrupted, and killed", func(v *voyage, sail *os.Process) {
		_ = sail.Signal(os.Interrupt)
		v.wait(time.Duration(v.rng.IntN(300)) * time.Millisecond)
		_ = sail.Kill()
	}),
	early("helm is killed while it fits out", func(v *voyage, _ *os.Process) { v.signal("hub", syscall.SIGKILL, v.hub()) }),
	early("power cut while sailing", func(v *voyage, _ *os.Process) { v.note("power cut: %d processes", extinguish(v.home)) }),
}

func early(name string, strike func(v *voyage, sail *os.Process)) fault {
	return fault{name: name, early: true, strike: func(v *voyage) hit {
		sail := slices.Clone(v.sail)
		if i := slices.Index(sail, "--branch"); i >= 0 { // each session has its own branch
			sail[i+1] += fmt.Sprint("-", v.others)
			v.others++
		}
		cmd := v.command(sail...)
		if err := cmd.Start(); err != nil {
			v.note("%v", err)
			return did(false)
		}
		after := time.Duration(v.rng.IntN(1500)) * time.Millisecond
		v.wait(after)
		over := !reader.Alive(cmd.Process.Pid)
		v.note("%s after %s, over: %t", name, after, over)
		strike(v, cmd.Process)
		unstuck := context.AfterFunc(eventually.Context(v), func() { _ = cmd.Process.Kill() })
		v.note("sail: %v, stuck: %t", cmd.Wait(), !unstuck())
		return did(!over)
	}}
}
