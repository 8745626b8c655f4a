package supervise

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
)

// Helm and its guard watch each other by two locked files. Each holds its own lock as long as it lives, and waits for
// the other's. When it gets the other's lock, it knows that the other has died, and starts it again. So neither needs
// a parent or polling, and either heals a kill -9 of the other.
//
// A third file says that helm was stopped on purpose.

func helmLock(h fleet.Hub) *flock.Flock  { return flock.New(filepath.Join(h.State, "helm.lock")) }
func guardLock(h fleet.Hub) *flock.Flock { return flock.New(filepath.Join(h.State, "guard.lock")) }
func stopped(h fleet.Hub) string         { return filepath.Join(h.State, "helm.stopped") }

// Stopped reports whether helm was stopped on purpose and not started since.
func Stopped(h fleet.Hub) bool {
	_, err := os.Stat(stopped(h))
	return err == nil
}

// MarkStopped records that helm is stopped on purpose, so that nothing starts it again.
func MarkStopped(h fleet.Hub) error { return os.WriteFile(stopped(h), nil, 0o600) }

// BecomeHelm makes this process the only helm, and returns a function that gives this up. It waits for a helm that is
// being replaced, and fails if any other helm is running. release is nil when helm was stopped on purpose meanwhile.
func BecomeHelm(ctx context.Context, h fleet.Hub) (release func(), err error) {
	lock := helmLock(h)
	ok, err := tryLock(ctx, lock, 10*time.Second)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("another helm runs")
	}
	if mayNotStart(ctx, h) {
		return nil, lock.Unlock()
	}
	return func() { _ = lock.Unlock() }, nil
}

// KeepRunning runs the guard: it restarts helm whenever helm dies, until helm is stopped on purpose. If another guard
// is running, it returns soon.
func KeepRunning(ctx context.Context, h fleet.Hub) error {
	own := guardLock(h)
	if ok, err := tryLock(ctx, own, time.Second); !ok {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer func() { _ = own.Unlock() }()
	pause := time.Duration(0)
	for {
		began := time.Now()
		err := untilFree(ctx, helmLock(h)) // returns when helm has died
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		// A helm that dies soon after each start is started less and less often.
		if time.Since(began) > time.Minute {
			pause = 0
		}
		for end := time.Now().Add(pause); !mayNotStart(ctx, h) && time.Now().Before(end); {
			_ = retry.Sleep(ctx, min(100*time.Millisecond, time.Until(end)))
		}
		if mayNotStart(ctx, h) {
			return nil
		}
		pause = min(30*time.Second, max(200*time.Millisecond, 2*pause))
		if ended, err := startHelm(h, "run"); err == nil {
			waitHeld(ctx, helmLock(h), ended)
		}
	}
}

// tryLock tries to get a lock for a while, since others may hold it for a moment to test it.
func tryLock(ctx context.Context, l *flock.Flock, most time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ok, err := l.TryLockContext(ctx, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return ok, err
}

// mayNotStart reports whether helm must not be started again, since it was stopped on purpose or its files were
// removed.
func mayNotStart(ctx context.Context, h fleet.Hub) bool {
	_, gone := os.Stat(h.State)
	_, err := os.Stat(stopped(h))
	return ctx.Err() != nil || gone != nil || !errors.Is(err, fs.ErrNotExist)
}

// KeepGuard starts a guard whenever there is none, until helm ends.
func KeepGuard(ctx context.Context, h fleet.Hub) {
	for untilFree(ctx, guardLock(h)) == nil { // returns when the guard has died
		if mayNotStart(ctx, h) {
			return
		}
		if ended, err := startHelm(h, "guard"); err == nil {
			waitHeld(ctx, guardLock(h), ended)
		}
		if retry.Sleep(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
}

// untilFree waits until the lock is free, without polling. If ctx ends first, its goroutine goes on waiting.
func untilFree(ctx context.Context, l *flock.Flock) error {
	free := make(chan error, 1)
	go func() {
		err := l.Lock()
		if err == nil {
			err = l.Unlock()
		}
		free <- err
	}()
	select {
	case err := <-free:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitHeld waits until somebody holds the lock, or the process that should take it has ended, or some time has
// passed.
func waitHeld(ctx context.Context, l *flock.Flock, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for retry.Sleep(ctx, 20*time.Millisecond) == nil {
		if ok, err := l.TryLock(); err != nil || !ok {
			return
		}
		_ = l.Unlock()
		select {
		case <-ended:
			return
		default:
		}
	}
}

// waitFree waits until the lock is free. It returns nil then.
func waitFree(ctx context.Context, l *flock.Flock) error {
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if ok {
		return l.Unlock()
	}
	return err
}
