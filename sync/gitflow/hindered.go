package gitflow

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// killedTries is how often a call is made anew when somebody killed its git.
const killedTries = 4

// persist makes a call anew when its git was killed, and says in the form that callers know what hinders it.
func persist[T any](dir string, call func() (T, error)) (done T, err error) {
	for range killedTries {
		if done, err = call(); !killed(err) {
			break
		}
	}
	return done, hindered(dir, err)
}

// Free fails while something hinders merges that does not depend on what is merged.
func (h *Hub) Free(ctx context.Context) error {
	return hindered(h.repo.Dir, h.free(ctx))
}

func (h *Hub) free(ctx context.Context) error {
	w, release, err := h.workspace(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, _, err := w.look(ctx); err != nil {
		return err
	}
	unlock, err := w.LockIndex(ctx)
	if err != nil {
		return err
	}
	unlock()
	locks := w.RefLocks([]string{"update " + h.ref()})
	err = filepath.WalkDir(w.Path(git.RefsAll), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".lock" {
			locks = append(locks, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	stays, err := w.RemoveAbandonedLocks(locks)
	if err == nil && stays != "" {
		err = git.LockedBy(stays)
	}
	return err
}

// hindered turns an error that nobody's work is to blame for into a *sync.Hindered.
func hindered(dir string, err error) error {
	var known *sync.Hindered
	var busy *errBusy
	var blocked *inTheWay
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &busy):
		return &sync.Hindered{Why: busy.Error()}
	case errors.As(err, &blocked):
		return &sync.Hindered{Why: "files that git does not know are in the way in " + dir + ", move them", Paths: blocked.paths}
	case errors.Is(err, errMoved):
		return &sync.Hindered{Why: err.Error() + "; something keeps changing the files in " + dir}
	case killed(err):
		return &sync.Hindered{Why: err.Error() + "; something keeps killing git"}
	}
	return err
}

// unanswered tells whether the error of a git that was asked something is no answer: it was killed, or nobody waits for it.
func unanswered(ctx context.Context, err error) bool {
	return killed(err) || err != nil && ctx.Err() != nil
}

// killed tells whether a git command of this side was killed.
func killed(err error) bool {
	var failed *git.Error
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(failed.Err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() || status.ExitStatus() > 128+int(syscall.SIGHUP))
}
