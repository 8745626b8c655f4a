package branch

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

// killedTries is how often Persist makes a call whose git the system kills.
const killedTries = 4

// Persist makes a call, and repeats it if its git was killed or the branch was created again meanwhile. It returns an
// error whose cause is not the work as a *sync.Hindered.
func Persist[T any](ctx context.Context, b *Branch, call func() (T, error)) (done T, err error) {
	for range killedTries {
		remade := b.remade.Load()
		if done, err = call(); err == nil || !git.Killed(err) && b.remade.Load() == remade {
			break
		}
	}
	return done, b.explain(ctx, err)
}

// explain turns the error of a call into a *sync.Hindered if its cause is not the work.
func (b *Branch) explain(ctx context.Context, err error) error {
	if err = b.Hindered(err); err == nil {
		return nil
	}
	if gone := b.Gone(ctx); gone != nil {
		return gone
	}
	if errors.Is(err, fs.ErrNotExist) { // a file was missing and is back now
		return &sync.Hindered{Why: err.Error() + "; something takes files of " + b.repo.Dir + " away"}
	}
	return err
}

// Gone returns a *sync.Hindered while part of the repository is missing: the captain may move or delete anything.
func (b *Branch) Gone(ctx context.Context) error {
	var lacks *sync.Hindered
	if _, err := b.Head(ctx); errors.As(err, &lacks) || b.moved() {
		return b.lacking()
	}
	return nil
}

func (b *Branch) moved() bool {
	_, err := os.Stat(filepath.Join(b.repo.Dir, ".git"))
	return errors.Is(err, fs.ErrNotExist)
}

// lacking returns the error for the missing part of the repository. The part may reappear at any time.
func (b *Branch) lacking() *sync.Hindered {
	if b.moved() {
		return &sync.Hindered{Why: "the voyage's repository is gone: put " + b.repo.Dir + " back where it was"}
	}
	return &sync.Hindered{Why: fmt.Sprintf("branch %s is gone from %s: make it anew at the commit where it was, which git reflog shows", b.name, b.repo.Dir)}
}

// Hindered turns an error that is not the work's fault into a *sync.Hindered.
func (b *Branch) Hindered(err error) error {
	var known *sync.Hindered
	var blocked *staging.InTheWay
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &blocked):
		return &sync.Hindered{Why: "files that git does not know are in the way in " + b.repo.Dir + ", move them", Paths: blocked.Paths}
	case errors.Is(err, staging.ErrMoved):
		return &sync.Hindered{Why: err.Error() + "; something keeps changing the files in " + b.repo.Dir}
	case git.Killed(err):
		return &sync.Hindered{Why: err.Error() + "; something keeps killing git"}
	}
	return err
}
