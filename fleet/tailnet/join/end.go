package join

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// endDaemon ends the ship's tailscaled. What it keeps of its membership stays.
func (b *berth) endDaemon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for signal := syscall.SIGTERM; ; signal = syscall.SIGKILL {
		pid, err := listener(ctx, b.socket)
		if err != nil || pid <= 1 {
			return nil // nothing listens
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

// leaveNetwork ends the ship's tailscaled and its membership. The door stays: it listens on loopback alone.
func (b *berth) leaveNetwork(ctx context.Context) error {
	return errors.Join(b.endDaemon(ctx), os.RemoveAll(b.pathOf("state")))
}
