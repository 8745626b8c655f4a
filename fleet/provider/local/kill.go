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

// kill ends all processes of a ship and returns when they are gone. Behind a
// wall they die with its first process. Without one, the server is the foster parent of all of
// them: it is stopped first, so that none can hide, and goes last. What an
// earlier server left when it died is known by its environment.
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
	entry := p.place(r).Marker()
	err := retry.Until(ctx, func() (bool, error) {
		all, err := process.List()
		if err != nil {
			return false, err
		}
		gone := !r.Process.Alive()
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
