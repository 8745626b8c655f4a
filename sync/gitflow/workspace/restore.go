package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"ocaptain/sync/gitflow/git"
)

// recover undoes an interrupted Advance, and removes our old index lock.
func (w *Tree) recover(ctx context.Context) error {
	interrupted := git.IsLockedByUs(w.GitDir)
	found, err := w.Resolve(ctx, git.RefPending, w.of.branch.Ref()+"^{commit}")
	if err != nil {
		return err
	}
	if found[1] != "" {
		w.of.branch.SeenAt(ctx, found[1])
	} else if _, err := w.of.branch.Head(ctx); err != nil { // without the branch, git would take all files for the captain's edits
		return err
	}
	if !interrupted && found[0] == "" {
		return nil
	}
	return w.Locked(ctx, func() error { return w.undo(context.WithoutCancel(ctx), interrupted) })
}

// undo changes files that Advance had moved to the pending commit back to the branch, after a crash or a full disk.
// It keeps what the captain edited meanwhile. The captain's index must be locked. locked means that it was locked
// ever since Advance: then HEAD and the branch, which git may change without that lock, say nothing about the files.
// The error is an *atOdds.
func (w *Tree) undo(ctx context.Context, locked bool) (err error) {
	defer func() {
		if err != nil {
			err = &atOdds{err}
		}
	}()
	found, err := w.Resolve(ctx, git.RefPending, git.RefPending+"^1", w.of.branch.Ref()+"^{commit}")
	if err != nil {
		return err
	}
	pending, from, head := found[0], found[1], found[2]
	st, away, err := w.look(ctx)
	var middle *midway
	elsewhere := away != "" || pending != "" && head != from && head != pending
	taken := errors.As(err, &middle) || st.Unmerged || elsewhere && !locked
	switch {
	case taken: // The captain's git has taken over the files.
		err = nil
	case err != nil:
	case pending != "" && head != pending:
		err = w.Back(ctx, from, pending)
	default:
		err = w.reindex(ctx)
	}
	if err != nil || pending == "" {
		return err
	}
	return w.UpdateRefs(ctx, "delete "+git.RefPending)
}

// reindex makes the captain's index agree with the files after the branch was moved.
func (w *Tree) reindex(ctx context.Context) error {
	if _, _, err := w.Stage(ctx); err != nil {
		return err
	}
	files, err := w.Write(ctx)
	if err != nil {
		return err
	}
	known, err := w.Resolve(ctx, w.of.branch.Ref()+"^{tree}")
	if err != nil || known[0] != files {
		return err
	}
	return w.install()
}

// Free returns an error while something, such as a lock of the index, would hinder every merge.
func (s *Workspace) Free(ctx context.Context) error {
	if err := s.branch.Gone(ctx); err != nil {
		return err
	}
	return s.branch.Hindered(s.free(ctx))
}

func (s *Workspace) free(ctx context.Context) error {
	w, release, err := s.Take(ctx)
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
	locks := w.RefLocks([]string{"update " + s.branch.Ref()})
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
