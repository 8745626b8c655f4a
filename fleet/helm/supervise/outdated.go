package supervise

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// Outdated reports whether the helm that sent hello is of an older build, which Ensure replaces.
func Outdated(h fleet.Hub, hello api.Hello) (bool, error) {
	own, err := OwnBinary(h)
	if err != nil {
		return false, err
	}
	return outdated(hello, own), nil
}

func outdated(hello api.Hello, own Binary) bool {
	return hello.API <= api.API && hello.Build != own.Digest && (hello.API < api.API || own.Made.After(hello.Made))
}

// DeadSocket reports whether there is a socket of a helm that was killed.
func DeadSocket(ctx context.Context, h fleet.Hub) bool {
	dead := false
	_ = withoutHelm(ctx, h, func() error {
		_, err := os.Lstat(api.Socket(h))
		dead = err == nil
		return nil
	})
	return dead
}

// RemoveDeadSocket removes such a socket. It leaves the socket of a running helm alone.
func RemoveDeadSocket(ctx context.Context, h fleet.Hub) error {
	return withoutHelm(ctx, h, func() error {
		if err := os.Remove(api.Socket(h)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// withoutHelm calls do while no helm is running and none can start. If a helm is running, it does nothing.
func withoutHelm(ctx context.Context, h fleet.Hub, do func() error) error {
	if _, err := os.Stat(h.State); err != nil {
		return nil // no helm was ever started
	}
	lock := helmLock(h)
	ok, err := tryLock(ctx, lock, 100*time.Millisecond)
	if err != nil || !ok {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return do()
}
