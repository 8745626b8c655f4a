package gitflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
	back, err := w.without(ctx, files, from, pending)
	if err != nil {
		return err
	}
	if err := w.bring(ctx, files, back); err != nil {
		return fmt.Errorf("bring the files back: %w", err)
	}
	if err := w.install(); err != nil {
		return err
	}
	return drop()
}

// without returns the tree files, which the private index must hold, with each file that is as in pending put back to
// what it is in from.
func (w *workspace) without(ctx context.Context, files, from, pending string) (string, error) {
	brought, err := w.changes(ctx, from, pending)
	if err != nil {
		return "", err
	}
	edited, err := w.changes(ctx, pending, files)
	if err != nil {
		return "", err
	}
	var gone, back strings.Builder
	for path, was := range brought {
		switch _, kept := edited[path]; {
		case kept:
		case strings.HasPrefix(was, "000000 "):
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.TrimPrefix(was, "000000 "), path)
		default:
			fmt.Fprintf(&back, "%s\t%s\x00", was, path)
		}
	}
	scratch := w.path("ocaptain/index.undo")
	if err := copyFile(w.path(privateIndex), scratch); err != nil {
		return "", err
	}
	defer os.Remove(scratch)
	t := tree{repo: w.indexed(scratch)}
	if err := t.do(ctx, strings.NewReader(gone.String()+back.String()), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return t.write(ctx)
}

// changes lists the files in which two trees differ, with the mode and object that each has in the first.
func (r repo) changes(ctx context.Context, from, to string) (map[string]string, error) {
	b, err := r.bytes(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	was := map[string]string{}
	fields := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, errors.New("git diff-tree: malformed record")
		}
		was[fields[i+1]] = f[0] + " " + f[2]
	}
	return was, nil
}
