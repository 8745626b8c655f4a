package sshd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/retry"
)

// firstToEnd is the oom_score_adj of a ship's processes: when memory runs out, the kernel kills them before others. An
// agent can undo this, so it helps only against accidents.
const firstToEnd = "500"

func offerToEnd() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte(firstToEnd), 0) }

// spare is how many more processes and threads the ship's server may have than the ship, so that it lives on and can
// say why nothing starts.
const spare = 64

// limitProcesses limits the number of processes and threads that are started from now on. The kernel counts those of one user in
// one user namespace, and each ship has its own. Before Linux 5.14 the kernel counts all processes of the captain.
func (c *children) limitProcesses(most int) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &now); err != nil {
		return err
	}
	all := min(uint64(most)+spare, now.Max)
	if all <= spare {
		return errors.New("this machine lets its user have no processes (ulimit -Hu)")
	}
	mine, theirs := unix.Rlimit{Cur: all, Max: all}, unix.Rlimit{Cur: all - spare, Max: all - spare}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &mine); err != nil {
		return err
	}
	if err := keepThreads(spare / 2); err != nil {
		return err
	}
	c.begin = func(cmd *exec.Cmd) error {
		// With this limit, Start fails on a full ship, and the error can be reported.
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: theirs.Cur, Max: all}); err != nil {
			return err
		}
		err := cmd.Start()
		if err == nil {
			err = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_NPROC, &theirs, nil)
			if errors.Is(err, unix.ESRCH) {
				err = nil // the process has already ended
			}
		}
		return errors.Join(err, unix.Setrlimit(unix.RLIMIT_NPROC, &mine))
	}
	return nil
}

// keepThreads makes the Go runtime start n threads, which it keeps. Without them, it would end the program when it
// needs another thread on a full ship.
func keepThreads(n int) error {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(pipe[0])
	var all sync.WaitGroup
	for range n {
		all.Go(func() { _, _ = unix.Read(pipe[0], make([]byte, 1)) })
	}
	err := retry.Until(context.Background(), func() (bool, error) {
		now, err := os.ReadDir("/proc/self/task")
		return len(now) > n, err
	})
	unix.Close(pipe[1])
	all.Wait()
	return err
}
