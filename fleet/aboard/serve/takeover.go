package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/private"
	"ocaptain/fleet/retry"
)

// patience is how long an older serve may take to end before it is killed.
const patience = time.Second

// takeOver makes this process the only serve of the ship, and returns a function that gives this up. It asks an older
// serve to end, and kills it if it does not.
func takeOver(ctx context.Context, h shipdir.Dir) (release func(), err error) {
	lock := flock.New(h.Lock())
	deadline := time.Now().Add(4 * patience)
	for started := time.Now(); ; {
		got, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock of the ship: %w", err)
		}
		if got {
			break
		}
		if time.Now().After(deadline) {
			return nil, errors.New("lock of the ship: an older connection does not let go of it")
		}
		evictHolder(ctx, h, time.Since(started) > patience)
		if err := retry.Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
	if err := shipdir.WriteJSON(h.Holder(), shipdir.Self()); err != nil {
		return nil, errors.Join(fmt.Errorf("lock of the ship: %w", err), lock.Unlock())
	}
	return func() { _ = lock.Unlock() }, nil
}

// evictHolder asks the serve that holds the lock to end, or kills it.
func evictHolder(ctx context.Context, h shipdir.Dir, kill bool) {
	if kill {
		var p shipdir.Process
		if shipdir.ReadJSON(h.Holder(), &p) == nil && p.PID != os.Getpid() {
			_ = p.Signal(syscall.SIGKILL)
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience/4)
	defer cancel()
	_ = shipdir.AskOnce(ctx, h, shipdir.MethodRetire, nil, nil)
}

// listen makes the ship's socket. Only the holder of the lock may call it.
func listen(h shipdir.Dir) (net.Listener, error) {
	socket, err := h.Socket()
	if err == nil {
		err = private.Make(filepath.Dir(socket))
	}
	if err != nil {
		return nil, fmt.Errorf("socket of the ship: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("socket of the ship: %w", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("socket of the ship: %w", err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("socket of the ship: %w", err), l.Close())
	}
	return l, nil
}
