//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/process"
)

// inside is the command of the process that runs the test binary.
const inside = "keep"

// outside runs keep, for root in its own PID namespace: all processes in it end with keep, and keep ends with
// this process.
func outside(args []string) (int, error) {
	runtime.LockOSThread() // the kernel sends Pdeathsig when the thread ends
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(exe, append([]string{inside}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer forward(cmd.Process.Pid)()
	return exit(cmd.Wait())
}

// exit returns the exit code, like a shell 128 and more for a signal.
func exit(err error) (int, error) {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return 0, err
	}
	return code(ended.Sys().(syscall.WaitStatus)), nil
}

func code(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// forward passes on the signals with which go test ends a test.
func forward(pid int) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		for s := range signals {
			_ = syscall.Kill(pid, s.(syscall.Signal))
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

// keep runs the test binary, becomes the parent of all processes that the binary leaves, and ends these after
// the binary.
func keep(args []string) (int, error) {
	if os.Getpid() == 1 {
		if err := ownProc(); err != nil {
			return 0, err
		}
	}
	if err := process.AdoptOrphans(); err != nil {
		return 0, err
	}
	meter := newMeter()
	pid, err := syscall.ForkExec(args[0], args, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", args[0], err)
	}
	stop := forward(pid)
	status := reap(pid)
	stop()
	left := endAll()
	return code(status), meter.write(left)
}

// ownProc mounts /proc for this PID namespace.
func ownProc() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// reap waits for children until the process pid has ended.
func reap(pid int) syscall.WaitStatus {
	for {
		var s syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &s, 0, nil)
		if ended == pid || errors.Is(err, syscall.ECHILD) {
			return s
		}
	}
}

// endAll ends the remaining children, and their children, which become ours. It returns their number.
func endAll() int {
	left := map[process.ID]bool{}
	for {
		all, _ := process.List()
		for _, p := range all {
			if p.Parent == os.Getpid() && !p.Zombie {
				left[p.ID] = true
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
			}
		}
		if _, err := syscall.Wait4(-1, nil, 0, nil); errors.Is(err, syscall.ECHILD) {
			return len(left)
		}
	}
}
