// Package lockfile locks files that the holder of the lock may remove, together with their directory.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock locks a file, which it makes together with its directory if necessary. It waits for the current holder until
// ctx ends. unlock ends the lock; with gone set it first removes the file.
func Lock(ctx context.Context, file string) (unlock func(gone bool), err error) {
	l, err := holdLock(ctx, file, (*flock.Flock).TryLockContext)
	if err != nil {
		return nil, err
	}
	return release(l, file), nil
}

func release(l *flock.Flock, file string) func(gone bool) {
	return func(gone bool) {
		if gone {
			_ = os.Remove(file)
		}
		_ = l.Close()
	}
}

// LockShared takes a shared lock: it excludes Lock, not other LockShared callers.
func LockShared(ctx context.Context, file string) (unlock func(), err error) {
	l, err := holdLock(ctx, file, (*flock.Flock).TryRLockContext)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Close() }, nil
}

// pace is the time between attempts to lock a file that somebody holds.
const pace = 10 * time.Millisecond

func holdLock(ctx context.Context, file string, try func(*flock.Flock, context.Context, time.Duration) (bool, error)) (*flock.Flock, error) {
	for tries := 1; ; tries++ {
		l := flock.New(file, flock.SetPermissions(0o600))
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			_, err = try(l, ctx, pace)
		}
		// The last holder may have removed the directory meanwhile.
		if tries < 1000 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist)) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", file, err)
		}
		mine, err := l.Stat()
		if err != nil {
			_ = l.Close()
			return nil, fmt.Errorf("lock %s: %w", file, err)
		}
		// The last holder may have removed the file that is locked now.
		if there, err := os.Stat(file); err == nil && os.SameFile(mine, there) {
			return l, nil
		}
		_ = l.Close()
	}
}
