package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/holders"
)

// How long to wait for a lock that somebody else holds, and how long between two looks at it.
const (
	LockPatience = 10 * time.Second
	minPause     = 10 * time.Millisecond
	maxPause     = 500 * time.Millisecond
	HubLockAge   = 2 * time.Second // age from which a lock may count as abandoned
	ShipLockAge  = time.Second
)

// LockDir locks a directory until the returned file is closed. The system releases the lock when the process dies. A
// command that inherits the file keeps the lock until it ends.
func LockDir(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		if err := Pause(ctx, began); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: another process works there: %w", dir, err)
		}
	}
}

// OurLock is the content of an index.lock that this package made. Git's own contain an index or nothing.
const OurLock = "ocaptain\n"

// LockIndex locks the index against other git commands, as git itself does. The caller must hold LockDir's lock, so
// an existing lock of ours was left by a dead process. LockIndex waits for a lock of another owner, and removes it
// once it is abandoned.
func (r Repo) LockIndex(ctx context.Context) (release func(), err error) {
	lock := r.Path("index.lock")
	// Link a complete file: after a kill, an index.lock that is still empty would not show that it is ours.
	mine := r.Path("ocaptain", "lock")
	if err := os.WriteFile(mine, []byte(OurLock), 0o666); err != nil {
		return nil, fmt.Errorf("index lock: %w", err)
	}
	for began := time.Now(); ; {
		err := os.Link(mine, lock)
		if err == nil {
			return func() { os.Remove(lock) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("index lock: %w", err)
		}
		if IsLockedByUs(r.GitDir) || r.abandoned(lock) {
			if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("index lock: %w", err)
			}
			continue
		}
		if time.Since(began) > LockPatience {
			return nil, LockedBy(lock)
		}
		if err := Pause(ctx, began); err != nil {
			return nil, fmt.Errorf("index lock: %w", err)
		}
	}
}

// LockedBy returns the error for a lock that another process keeps.
func LockedBy(lock string) error {
	return &sync.Hindered{Why: "a git command is at work: it has " + lock + "; when none is, remove that file"}
}

// IsLockedByUs reports whether this package made the index.lock in the given git directory.
func IsLockedByUs(git string) bool {
	b, err := os.ReadFile(filepath.Join(git, "index.lock"))
	return err == nil && string(b) == OurLock
}

// abandoned reports whether a lock has no living owner: it is older than r.Patience, no git command works on the
// repository, and no program has the file open.
func (r Repo) abandoned(lock string) bool {
	st, err := os.Stat(lock)
	if err != nil || time.Since(st.ModTime()) <= r.Patience {
		return false
	}
	r.Kept.rest()
	return !holders.GitAtWork(r.Dir) && !holders.Open([]string{lock}, false)[lock]
}

// RemoveAbandonedLocks removes abandoned lock files. If a process still holds a lock, stays is the path of that lock.
func (r Repo) RemoveAbandonedLocks(locks []string) (stays string, err error) {
	for _, lock := range locks {
		if _, err := os.Lstat(lock); err != nil {
			continue
		}
		if !r.abandoned(lock) {
			stays = lock
			continue
		}
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return lock, fmt.Errorf("lock without an owner: %w", err)
		}
	}
	return stays, nil
}

// RefLocks returns the lock files that git takes for a change of refs; each line is a command of "git update-ref
// --stdin".
func (r Repo) RefLocks(lines []string) []string {
	locks := []string{r.Path("HEAD.lock"), r.Path("packed-refs.lock"), r.Path("packed-refs.new")}
	for _, line := range lines {
		if f := strings.Fields(line); len(f) > 1 {
			locks = append(locks, r.Path(f[1]+".lock"))
		}
	}
	return locks
}

// Pause waits before the caller looks again at what it has waited for since began, for a tenth of the time that has
// passed. A look may read which files every process has open, so a hundred in a second would keep a core busy.
func Pause(ctx context.Context, began time.Time) error {
	t := time.NewTimer(min(max(minPause, time.Since(began)/10), maxPause))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// Turn is a mutex whose Take ends with its context.
type Turn chan struct{}

// NewTurn returns an unlocked Turn.
func NewTurn() Turn { return make(Turn, 1) }

// Take locks the Turn.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Give unlocks the Turn.
func (t Turn) Give() { <-t }
