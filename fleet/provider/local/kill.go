package local

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"ocaptain/fleet/process"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/fleet/retry"
)

// kill kills all processes of a ship and waits until they are gone. In a sandbox they die with its first process.
// Without one, they are descendants of the server, which adopts orphans: it is stopped first, so that no process can
// hide, and killed last. What an earlier server has left behind is found by its environment.
func (p *Provider) kill(ctx context.Context, r *record) error {
	if r.Process.Alive() && !r.Confined {
		r.Process.Signal(syscall.SIGSTOP)
		err := retry.Until(ctx, func() (bool, error) {
			all, err := process.List()
			if err != nil {
				return false, err
			}
			below := process.Descendants(all, r.Process.PID)
			for _, child := range below {
				child.Kill()
			}
			return len(below) == 0, nil
		})
		if err != nil {
			r.Process.Signal(syscall.SIGCONT)
			return fmt.Errorf("end the processes of local ship %s: %w", r.Name, err)
		}
	}
	r.Process.Kill()
	entry := p.dirs.place(r).Marker()
	err := retry.Until(ctx, func() (bool, error) {
		if r.Process.Alive() {
			return false, nil
		}
		all, err := process.List()
		if err != nil {
			return false, err
		}
		gone := true
		for _, other := range all {
			if other.Zombie || other.PID == os.Getpid() || !process.HasEnviron(other.PID, entry) {
				continue
			}
			other.Kill()
			gone = false
		}
		return gone, nil
	})
	if err != nil {
		return fmt.Errorf("end the processes of local ship %s: %w", r.Name, err)
	}
	sandbox.DropMemory(r.ID)
	return nil
}
