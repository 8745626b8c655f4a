package process

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

const zombieState = 5 // SZOMB

func fromKernel(k *unix.KinfoProc) Process {
	return Process{
		ID:     ID{int(k.Proc.P_pid), fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec)},
		Parent: int(k.Eproc.Ppid),
		Zombie: k.Proc.P_stat == zombieState,
	}
}

// Inspect returns one process.
func Inspect(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Process{}, err
	}
	return fromKernel(k), nil
}

// List returns all processes.
func List() ([]Process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]Process, len(table))
	for i := range table {
		all[i] = fromKernel(&table[i])
	}
	return all, nil
}

// HasEnviron reports whether a process was started with this entry in its environment.
func HasEnviron(pid int, entry string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(b, []byte("\x00"+entry+"\x00"))
}

// AdoptOrphans does nothing on macOS: orphans are found by their environment.
func AdoptOrphans() error { return nil }
