package sshd

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"ocaptain/fleet/process"
	"ocaptain/fleet/proto"
)

// children are the processes that the server has started and waits for. It also reaps orphans that it has adopted,
// but must not reap these, or their exit status would be lost.
type children struct {
	mu    sync.Mutex
	own   map[int]bool
	begin func(*exec.Cmd) error

	run  func(start func()) // calls start on the thread that starts processes
	nest func(start func()) // calls start on the thread for programs that may make sandboxes; nil when all may
}

// NestFilter is the path of the filter of system calls that keeps programs from making user namespaces. It exists
// only where such a filter is used.
const NestFilter = "/run/ocaptain.filter"

// NestProc is a full /proc that no program of the ship can reach. While it is mounted, the kernel lets sandboxes mount a /proc of their
// own.
const NestProc = "/run/ocaptain.checks/proc"

func newChildren() *children {
	return &children{own: map[int]bool{}, run: func(start func()) { start() }, begin: (*exec.Cmd).Start}
}

func (c *children) start(cmd *exec.Cmd, nests bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	run := c.run
	if nests && c.nest != nil {
		run, cmd.Env = c.nest, append(cmd.Env, proto.Nests+"="+NestFilter)
	}
	run(func() { err = c.begin(cmd) })
	if err != nil {
		return err
	}
	c.own[cmd.Process.Pid] = true
	return nil
}

func (c *children) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.own, cmd.Process.Pid)
	return err
}

// reapAdopted reaps adopted processes that have ended. It looks at most every two seconds, since every command that
// ends wakes it.
func (c *children) reapAdopted(ctx context.Context) {
	ended := make(chan os.Signal, 1)
	// If this process handles a signal, its commands do not inherit it as ignored. So a terminal can hang up on them even
	// if the ship was started under nohup.
	signal.Notify(ended, syscall.SIGCHLD, syscall.SIGHUP)
	defer signal.Stop(ended)
	for {
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return
		}
		all, err := process.List()
		if err != nil {
			continue
		}
		c.mu.Lock()
		for _, p := range all {
			if p.Zombie && p.Parent == os.Getpid() && !c.own[p.PID] {
				_, _ = syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil)
			}
		}
		c.mu.Unlock()
	}
}
