package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// killedTries is how often a call is made when the system kills its git.
const killedTries = 4

// persist makes a call again when its git was killed or its branch deleted. A cause outside the work is returned as a
// *sync.Hindered.
func persist[T any](ctx context.Context, h *Hub, call func() (T, error)) (done T, err error) {
	for range killedTries {
		remade := h.remade.Load()
		if done, err = call(); err == nil || !git.Killed(err) && h.remade.Load() == remade {
			break
		}
	}
	return done, h.explain(ctx, err)
}

// explain says in the form that callers know what hinders a call that failed.
func (h *Hub) explain(ctx context.Context, err error) error {
	if err = hindered(h.repo.Dir, err); err == nil {
		return nil
	}
	if gone := h.gone(ctx); gone != nil {
		return gone
	}
	if errors.Is(err, fs.ErrNotExist) { // it is back by now
		return &sync.Hindered{Why: err.Error() + "; something takes files of " + h.repo.Dir + " away"}
	}
	return err
}

// gone fails while something of the repository is not there: the captain can take anything away.
func (h *Hub) gone(ctx context.Context) error {
	var lacks *sync.Hindered
	if _, err := h.Head(ctx); errors.As(err, &lacks) || h.moved() {
		return h.lacking()
	}
	return nil
}

func (h *Hub) moved() bool {
	_, err := os.Stat(filepath.Join(h.repo.Dir, ".git"))
	return errors.Is(err, fs.ErrNotExist)
}

// lacking says what of the repository is not there. It may be back by the time that anybody looks again.
func (h *Hub) lacking() *sync.Hindered {
	if h.moved() {
		return &sync.Hindered{Why: "the voyage's repository is gone: put " + h.repo.Dir + " back where it was"}
	}
	return &sync.Hindered{Why: fmt.Sprintf("branch %s is gone from %s: make it anew at the commit where it was, which git reflog shows", h.branch, h.repo.Dir)}
}

// Free fails while something hinders merges that does not depend on what is merged.
func (h *Hub) Free(ctx context.Context) error {
	if err := h.gone(ctx); err != nil {
		return err
	}
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

// hindered turns an error that is not the work's fault into a *sync.Hindered.
func hindered(dir string, err error) error {
	var known *sync.Hindered
	var busy *errBusy
	var blocked *staging.InTheWay
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &busy):
		return &sync.Hindered{Why: busy.Error()}
	case errors.As(err, &blocked):
		return &sync.Hindered{Why: "files that git does not know are in the way in " + dir + ", move them", Paths: blocked.Paths}
	case errors.Is(err, staging.ErrMoved):
		return &sync.Hindered{Why: err.Error() + "; something keeps changing the files in " + dir}
	case git.Killed(err):
		return &sync.Hindered{Why: err.Error() + "; something keeps killing git"}
	}
	return err
}
