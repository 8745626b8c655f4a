package join

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"ocaptain/fleet/tailnet"
)

// end ends the ship's tailscaled, and with it the tunnel and the service that it may have. What it keeps of its
// membership stays.
func (b *berth) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s, ok := b.systemd(ctx, false); ok {
		if err := s.remove(ctx, "tailscaled"); err != nil {
			return err
		}
	}
	d := tailnet.Daemon{Socket: b.socket}
	for signal := syscall.SIGTERM; ; signal = syscall.SIGKILL {
		pid, err := listener(ctx, d.Socket)
		if err != nil || pid <= 1 {
			return nil // nobody listens
		}
		if err := b.signal(ctx, pid, signal); err != nil {
			return err
		}
		for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
			if !alive(pid) {
				break
			}
			if err := b.moment(ctx, nil); err != nil {
				return err
			}
		}
	}
}

// leave ends everything of the ship's for the tailnet. A door that was begun by hand stays: it listens on loopback alone.
func (b *berth) leave(ctx context.Context) error {
	left := b.end(ctx)
	if s, ok := b.systemd(ctx, false); ok {
		left = errors.Join(left, s.remove(ctx, "door"))
	}
	return errors.Join(left, b.reclaim(ctx), os.RemoveAll(b.path("state")), b.forget(whyFile))
}

// forget removes a file, which need not be there.
func (b *berth) forget(name string) error {
	if err := os.Remove(b.path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// alive tells whether there is such a process. One of another user's is, too.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, os.ErrPermission)
}

func (b *berth) signal(ctx context.Context, pid int, s syscall.Signal) error {
	err := syscall.Kill(pid, s)
	if errors.Is(err, os.ErrPermission) {
		return b.asRoot(ctx, "kill", "-"+strconv.Itoa(int(s)), strconv.Itoa(pid)).Run()
	}
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// ownedByOther tells whether a file belongs to another user.
func ownedByOther(name string) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) != os.Geteuid()
}
