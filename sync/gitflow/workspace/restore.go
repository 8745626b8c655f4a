package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"ocaptain/sync/gitflow/git"
)

// recover undoes an advance that was cut short. Without one, only a left lock goes.
func (w *Tree) recover(ctx context.Context) error {
	interrupted := git.IsLockedByUs(w.GitDir)
	found, err := w.Resolve(ctx, git.RefPending, w.of.branch.Ref()+"^{commit}")
	if err != nil {
		return err
	}
	if found[1] != "" {
		w.of.branch.SeenAt(ctx, found[1])
	} else if _, err := w.of.branch.Head(ctx); err != nil { // or git would take all files for the captain's edits
		return err
	}
	if !interrupted && found[0] == "" {
		return nil
	}
	return w.Locked(ctx, func() error { return w.undo(context.WithoutCancel(ctx), interrupted) })
}

// undo brings files that are partly at the pending commit back to the branch, and keeps what the captain edited
// meanwhile. The captain's index must be locked, and locked tells that it was so all the time: then what HEAD and
// the branch say now, which git may change without that lock, tells nothing about the files. It is needed after a crash or a
// full disk. An error is *atOdds.
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
	case taken: // What is in the files is the captain's now.
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

// reindex brings the captain's index to a branch that was moved, and the files with it.
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

// Free fails while something would hinder every merge, such as a lock of the index.
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
