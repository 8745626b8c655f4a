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

// How long to wait for a lock that somebody else holds, and how often to look.
const (
	LockPatience = 10 * time.Second
	lockPoll     = 10 * time.Millisecond
	HubLockAge   = 2 * time.Second // a lock without an owner is older than this
	ShipLockAge  = time.Second
)

// LockDir takes the one lock of a directory, which is dropped when the file is closed. The system does that when a
// process dies; commands that were given the file keep the lock until they end too.
func LockDir(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		if err := Pause(ctx); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: another process works there: %w", dir, err)
		}
	}
}

// OurLock is what an index.lock of ours says. Git's own hold an index or nothing.
const OurLock = "ocaptain\n"

// LockIndex keeps other git commands from changing the index, as git itself does. The caller must hold the repository's
// directory, so an existing lock of ours was left by a dead process. LockIndex waits for a lock of another owner, and
// removes it once no process has it.
func (r Repo) LockIndex(ctx context.Context) (release func(), err error) {
	lock := r.Path("index.lock")
	// The lock appears with its content: were it empty for a moment, a kill then would leave it without an owner.
	mine := r.Path("ocaptain", "lock")
	if err := os.WriteFile(mine, []byte(OurLock), 0o666); err != nil {
		return nil, fmt.Errorf("index lock: %w", err)
	}
	for deadline := time.Now().Add(LockPatience); ; {
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
		if time.Now().After(deadline) {
			return nil, LockedBy(lock)
		}
		if err := Pause(ctx); err != nil {
			return nil, fmt.Errorf("index lock: %w", err)
		}
	}
}

// LockedBy is the error of a lock that stays.
func LockedBy(lock string) error {
	return &sync.Hindered{Why: "a git command is at work: it has " + lock + "; when none is, remove that file"}
}

// IsLockedByUs tells whether the index is locked by this package.
func IsLockedByUs(git string) bool {
	b, err := os.ReadFile(filepath.Join(git, "index.lock"))
	return err == nil && string(b) == OurLock
}

// abandoned tells whether a lock has no living owner: it is not new, no git command is at work on the repository, and no
// other program has it open.
func (r Repo) abandoned(lock string) bool {
	st, err := os.Stat(lock)
	if err != nil || time.Since(st.ModTime()) <= r.Patience {
		return false
	}
	r.Kept.rest()
	return !holders.GitAtWork(r.Dir) && !holders.Open([]string{lock}, false)[lock]
}

// RemoveAbandonedLocks removes those of the locks that are abandoned, and tells which one stays.
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

// RefLocks are the locks that a change of refs takes, each line a command of "git update-ref --stdin".
func (r Repo) RefLocks(lines []string) []string {
	locks := []string{r.Path("HEAD.lock"), r.Path("packed-refs.lock"), r.Path("packed-refs.new")}
	for _, line := range lines {
		if f := strings.Fields(line); len(f) > 1 {
			locks = append(locks, r.Path(f[1]+".lock"))
		}
	}
	return locks
}

// Pause waits a moment.
func Pause(ctx context.Context) error {
	t := time.NewTimer(lockPoll)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// Turn is a lock that gives up when its context does.
type Turn chan struct{}

// NewTurn returns a lock that is free.
func NewTurn() Turn { return make(Turn, 1) }

// Take takes the lock.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Give gives the lock back.
func (t Turn) Give() { <-t }
