package lockfile

import (
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"
)

// ErrHeld means that somebody holds the lock.
var ErrHeld = errors.New("somebody holds it")

// TryLock is Lock without waiting: if another caller holds the lock, shared or not, the error is ErrHeld.
func TryLock(file string) (unlock func(gone bool), err error) {
	l, err := holdLock(context.Background(), file, func(l *flock.Flock, _ context.Context, _ time.Duration) (bool, error) {
		ok, err := l.TryLock()
		if err == nil && !ok {
			err = ErrHeld
		}
		return ok, err
	})
	if err != nil {
		return nil, err
	}
	return release(l, file), nil
}
