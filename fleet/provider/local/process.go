package local

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// process is one line of the process table.
type process struct {
	pid, parent int
	started     string // different for every process that ever had the pid
	zombie      bool
}

// identity names a process for good: a pid alone may belong to another one later.
type identity struct {
	Pid     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"`
}

func identify(pid int) identity {
	p, err := inspect(pid)
	if err != nil || p.zombie {
		return identity{}
	}
	return identity{Pid: pid, Started: p.started}
}

func (i identity) alive() bool { return i.Pid > 1 && identify(i.Pid) == i }

func (i identity) signal(sig syscall.Signal) {
	if i.alive() {
		_ = syscall.Kill(i.Pid, sig)
	}
}

func (i identity) kill() { i.signal(syscall.SIGKILL) }

// kill ends all processes of a ship and returns when they are gone. Behind a
// wall they die with its first process. Without one, the server is the foster parent of all of
// them: it is stopped first, so that none can hide, and goes last. What an
// earlier server left when it died is known by its environment.
func (p *Provider) kill(ctx context.Context, r *record) error {
	if r.Process.alive() && !r.Confined {
		r.Process.signal(syscall.SIGSTOP)
		err := until(ctx, func() (bool, error) {
			all, err := processes()
			if err != nil {
				return false, err
			}
			below := descendants(all, r.Process.Pid)
			for _, child := range below {
				identity{child.pid, child.started}.kill()
			}
			return len(below) == 0, nil
		})
		if err != nil {
			r.Process.signal(syscall.SIGCONT)
			return fmt.Errorf("end the processes of local ship %s: %w", r.Name, err)
		}
	}
	r.Process.kill()
	entry := marker(p.place(r))
	err := until(ctx, func() (bool, error) {
		all, err := processes()
		if err != nil {
			return false, err
		}
		gone := !r.Process.alive()
		for _, other := range all {
			if other.zombie || other.pid == os.Getpid() || !hasEnv(other.pid, entry) {
				continue
			}
			identity{other.pid, other.started}.kill()
			gone = false
		}
		return gone, nil
	})
	if err != nil {
		return fmt.Errorf("end the processes of local ship %s: %w", r.Name, err)
	}
	dropMemory(cgroupName(r.ID))
	return nil
}

// descendants are the living processes below one.
func descendants(all []process, root int) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var below []process
	queue := []int{root}
	for len(queue) > 0 {
		for _, child := range children[queue[0]] {
			queue = append(queue, child.pid)
			if !child.zombie {
				below = append(below, child)
			}
		}
		queue = queue[1:]
	}
	return below
}

// until asks again every few milliseconds, as long as ctx lasts.
func until(ctx context.Context, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
