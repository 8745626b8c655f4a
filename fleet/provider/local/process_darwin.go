package local

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

const zombieState = 5 // SZOMB

func fromKernel(k *unix.KinfoProc) process {
	return process{
		pid:     int(k.Proc.P_pid),
		parent:  int(k.Eproc.Ppid),
		started: fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec),
		zombie:  k.Proc.P_stat == zombieState,
	}
}

func inspect(pid int) (process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	return fromKernel(k), nil
}

func processes() ([]process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]process, len(table))
	for i := range table {
		all[i] = fromKernel(&table[i])
	}
	return all, nil
}

// hasEnv tells whether a process was started with this entry in its environment.
func hasEnv(pid int, entry string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(b, []byte("\x00"+entry+"\x00"))
}

// adoptOrphans has no counterpart here: what loses its parent is found by its environment.
func adoptOrphans() error { return nil }
