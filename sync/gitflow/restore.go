package gitflow

import (
	"context"
	"errors"
	"fmt"
)

// restore settles what a process that died left in the captain's tree.
func (h *Hub) restore(ctx context.Context) error {
	if err := h.sweep(); err != nil {
		return err
	}
	w, release, err := h.workspace(ctx)
	if err != nil {
		return err
	}
	defer release()
	return w.recover(ctx)
}

// recover undoes an advance that was cut short. Without one, only a left lock goes.
func (w *workspace) recover(ctx context.Context) error {
	interrupted := leftByUs(w.git)
	found, err := w.resolve(ctx, refPending)
	if err != nil {
		return err
	}
	if !interrupted && found[0] == "" {
		return nil
	}
	release, err := lockIndex(ctx, w.git, never)
	if err != nil {
		return err
	}
	defer release()
	if found[0] != "" {
		return w.undo(ctx)
	}
	// The branch was moved and the files with it, only the index may be old.
	st, away, err := w.look(ctx)
	var busy *errBusy
	if errors.As(err, &busy) || away != "" {
		return nil
	}
	if err != nil {
		return err
	}
	if _, _, err := w.stage(ctx); err != nil {
		return err
	}
	files, err := w.write(ctx)
	if err != nil {
		return err
	}
	known, err := w.resolve(ctx, st.commit+"^{tree}")
	if err != nil || known[0] != files {
		return err
	}
	return w.install()
}

// undo brings files that are partly at the pending commit back to the branch, and keeps what the captain edited
// meanwhile. The captain's index must be locked. It is needed after a crash or a full disk.
func (w *workspace) undo(ctx context.Context) error {
	found, err := w.resolve(ctx, refPending, refPending+"^1", w.h.ref()+"^{commit}")
	if err != nil {
		return err
	}
	pending, from, head := found[0], found[1], found[2]
	drop := func() error { return w.refs(ctx, "delete "+refPending) }
	if pending == "" {
		return nil
	}
	if _, away, err := w.look(ctx); err != nil || away != "" || head != from {
		// The captain has taken over in between; what is in the files is the captain's now.
		return errors.Join(drop(), ctx.Err())
	}
	if _, _, err := w.stage(ctx); err != nil {
		return err
	}
	files, err := w.write(ctx)
	if err != nil {
		return err
	}
	r, err := w.merge(ctx, pending, from, files)
	if err != nil {
		return err
	}
	if len(r.clashes) == 0 {
		if err := w.bring(ctx, files, r.tree); err != nil {
			return fmt.Errorf("bring the files back: %w", err)
		}
	}
	if err := w.install(); err != nil {
		return err
	}
	return drop()
}
