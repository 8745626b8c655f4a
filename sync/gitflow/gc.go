package gitflow

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

// upkeepGuard keeps the captain's "git gc --prune=now" out while there are objects that no ref has yet: it would remove
// them, and with them what a commit of the branch needs a moment later. It is git's own lock, with our process in it.
type upkeepGuard struct {
	mu   stdsync.Mutex
	held int
}

// keepObjects keeps objects that are new until release is called. It waits for a gc that runs already.
func (h *Hub) keepObjects(ctx context.Context) (release func(), err error) {
	h.guard.mu.Lock()
	defer h.guard.mu.Unlock()
	if h.guard.held == 0 && !h.packing.Load() { // our own gc removes nothing that is new
		if err := h.takeGC(ctx); err != nil {
			return nil, err
		}
	}
	h.guard.held++
	return stdsync.OnceFunc(h.dropGC), nil
}

func (h *Hub) dropGC() {
	h.guard.mu.Lock()
	defer h.guard.mu.Unlock()
	if h.guard.held--; h.guard.held > 0 {
		return
	}
	if pid, _, _ := h.gcRuns(); pid == os.Getpid() {
		os.Remove(h.repo.Path("gc.pid"))
	}
}

func (h *Hub) takeGC(ctx context.Context) error {
	lock := h.repo.Path("gc.pid.lock")
	for deadline := time.Now().Add(git.LockPatience); ; {
		taken, err := h.tryGC(lock)
		if taken || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return &sync.Hindered{Why: "git gc is at work in " + h.repo.Dir}
		}
		if _, err := h.repo.RemoveAbandonedLocks([]string{lock}); err != nil {
			return err
		}
		if err := git.Pause(ctx); err != nil {
			return err
		}
	}
}

// tryGC takes the lock as git does.
func (h *Hub) tryGC(lock string) (bool, error) {
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("gc lock: %w", err)
	}
	_, host, runs := h.gcRuns()
	if !runs {
		_, err = fmt.Fprintf(f, "%d %s", os.Getpid(), host)
	}
	if err = errors.Join(err, f.Close()); err == nil && !runs {
		err = os.Rename(lock, h.repo.Path("gc.pid"))
	}
	if runs || err != nil {
		os.Remove(lock)
	}
	if err != nil {
		return false, fmt.Errorf("gc lock: %w", err)
	}
	return !runs, nil
}

// gcRuns tells which process has git's lock against a second gc, whether it is another that lives, and this host's name.
func (h *Hub) gcRuns() (pid int, host string, runs bool) {
	host, _ = os.Hostname()
	b, err := os.ReadFile(h.repo.Path("gc.pid"))
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
