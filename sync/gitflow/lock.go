package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long to wait for a lock that somebody else holds, and how often to look.
const (
	lockPatience = 10 * time.Second
	lockPoll     = 10 * time.Millisecond
)

// holdDir takes the one lock of a directory, which is dropped when the file is closed. The system does that when a
// process dies; commands that were given the file keep the lock until they end too.
func holdDir(ctx context.Context, dir string) (*os.File, error) {
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
		if err := pause(ctx); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: another process works there: %w", dir, err)
		}
	}
}

// ourLock is what an index.lock of ours says. Git's own hold an index or nothing.
const ourLock = "ocaptain\n"

// lockIndex keeps other git commands from changing the index at git, as git itself does. The caller must hold the
// repository's directory, so a lock of ours that is already there was left by a dead process. Somebody else's is
// removed when stale says so, else waited for.
func lockIndex(ctx context.Context, git string, stale func(lock string) bool) (release func(), err error) {
	lock := filepath.Join(git, "index.lock")
	// The lock appears with its content: were it empty for a moment, a kill then would leave it without an owner.
	mine := filepath.Join(git, "ocaptain", "lock")
	if err := os.WriteFile(mine, []byte(ourLock), 0o666); err != nil {
		return nil, fmt.Errorf("index lock: %w", err)
	}
	for deadline := time.Now().Add(lockPatience); ; {
		err := os.Link(mine, lock)
		if err == nil {
			return func() { os.Remove(lock) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("index lock: %w", err)
		}
		if leftByUs(git) || stale(lock) {
			if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("index lock: %w", err)
			}
			continue
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("index lock: a git command is at work: when none is, remove %s", lock)
		}
		if err := pause(ctx); err != nil {
			return nil, fmt.Errorf("index lock: %w", err)
		}
	}
}

// leftByUs tells whether the index is locked by this package.
func leftByUs(git string) bool {
	b, err := os.ReadFile(filepath.Join(git, "index.lock"))
	return err == nil && string(b) == ourLock
}

// never is for locks that only their owner may remove.
func never(string) bool { return false }

// abandoned tells whether a lock in the tree at dir has no living owner: no git command runs there. Where that can't
// be known, a lock is given up after ten minutes.
func abandoned(dir string) func(string) bool {
	return func(lock string) bool {
		st, err := os.Stat(lock)
		if err != nil {
			return false
		}
		age := time.Since(st.ModTime())
		if age > 10*time.Minute {
			return true
		}
		return age > time.Second && !gitRuns(dir)
	}
}

// gitRuns tells whether a git command runs inside dir, as far as can be known.
func gitRuns(dir string) bool {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, p := range procs {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join("/proc", p.Name(), "comm"))
		if err != nil || !strings.HasPrefix(string(name), "git") {
			continue
		}
		cwd, err := os.Readlink(filepath.Join("/proc", p.Name(), "cwd"))
		if err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			return true
		}
	}
	return false
}

// pause waits a moment.
func pause(ctx context.Context) error {
	t := time.NewTimer(lockPoll)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
