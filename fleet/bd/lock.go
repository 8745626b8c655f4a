package bd

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ocaptain/fleet/retry"
)

// Touched is the file in a workspace to which bd writes after each change of an issue.
const Touched = ".beads/last-touched"

// lockTries is how often Lock tries to get the lock, and lockPause the pause in between. If a bd that hangs holds the lock,
// Lock gives up.
const (
	lockTries = 40
	lockPause = 50 * time.Millisecond
)

// Lock keeps bd from writing the file of issues in a workspace until release is called. It does nothing if bd is not
// used there.
func Lock(ctx context.Context, workspace string) (release func()) {
	f, err := os.OpenFile(filepath.Join(workspace, ".beads", ".jsonl.lock"), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return func() {}
	}
	for range lockTries {
		if is, err := f.Stat(); err != nil || !is.Mode().IsRegular() {
			break
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil || retry.Sleep(ctx, lockPause) != nil {
			break
		}
	}
	return func() { _ = f.Close() }
}
