package join

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// endDaemon stops the ship's tailscaled, which keeps its stored membership.
func (b *berth) endDaemon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for signal := syscall.SIGTERM; ; signal = syscall.SIGKILL {
		pid, err := listener(ctx, b.socket)
		if err != nil || pid <= 1 {
			return nil // no tailscaled is running
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
			if syscall.Kill(pid, 0) != nil {
				break
			}
			if err := b.moment(ctx, nil); err != nil {
				return err
			}
		}
	}
}

// leaveNetwork ends the ship's membership and stops its tailscaled. The door stays, as it listens only on loopback.
func (b *berth) leaveNetwork(ctx context.Context) error {
	return errors.Join(b.endDaemon(ctx), os.RemoveAll(b.pathOf("state")))
}
