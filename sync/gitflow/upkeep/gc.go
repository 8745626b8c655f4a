package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	stdsync "sync"
	"syscall"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// guard stops the captain's "git gc --prune=now" while there are new objects that no ref reaches yet: gc would delete
// objects that a commit of the branch needs a moment later. It holds git's own lock, gc.pid, with our process id.
type guard struct {
	mu   stdsync.Mutex
	held int
}

// KeepObjects protects new objects from gc until release is called. It first waits for a gc that is running.
func (u *Upkeep) KeepObjects(ctx context.Context) (release func(), err error) {
	u.guard.mu.Lock()
	defer u.guard.mu.Unlock()
	if u.guard.held == 0 && !u.packing.Load() { // our own gc does not prune new objects
		if err := u.takeGC(ctx); err != nil {
			return nil, err
		}
	}
	u.guard.held++
	return stdsync.OnceFunc(u.dropGC), nil
}

func (u *Upkeep) dropGC() {
	u.guard.mu.Lock()
	defer u.guard.mu.Unlock()
	if u.guard.held--; u.guard.held > 0 {
		return
	}
	if pid, _, _ := u.gcRuns(); pid == os.Getpid() {
		os.Remove(u.repo.Path("gc.pid"))
	}
}

func (u *Upkeep) takeGC(ctx context.Context) error {
	lock := u.repo.Path("gc.pid.lock")
	for began := time.Now(); ; {
		taken, err := u.tryGC(lock)
		if taken || err != nil {
			return err
		}
		if time.Since(began) > git.LockPatience {
			return &sync.Hindered{Why: "git gc is at work in " + u.repo.Dir}
		}
		if _, err := u.repo.RemoveAbandonedLocks([]string{lock}); err != nil {
			return err
		}
		if err := git.Pause(ctx, began); err != nil {
			return err
		}
	}
}

// tryGC takes gc.pid as git does.
func (u *Upkeep) tryGC(lock string) (bool, error) {
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("gc lock: %w", err)
	}
	_, host, runs := u.gcRuns()
	if !runs {
		_, err = fmt.Fprintf(f, "%d %s", os.Getpid(), host)
	}
	if err = errors.Join(err, f.Close()); err == nil && !runs {
		err = os.Rename(lock, u.repo.Path("gc.pid"))
	}
	if runs || err != nil {
		os.Remove(lock)
	}
	if err != nil {
		return false, fmt.Errorf("gc lock: %w", err)
	}
	return !runs, nil
}

// gcRuns returns the process id in gc.pid, this host's name, and whether that process is another, living one.
func (u *Upkeep) gcRuns() (pid int, host string, runs bool) {
	host, _ = os.Hostname()
	b, err := os.ReadFile(u.repo.Path("gc.pid"))
	var at string
	if err != nil {
		return 0, host, false
	}
	if n, _ := fmt.Sscan(string(b), &pid, &at); n < 2 || at != host || pid == os.Getpid() {
		return pid, host, false
	}
	err = syscall.Kill(pid, 0)
	return pid, host, err == nil || errors.Is(err, syscall.EPERM)
}
