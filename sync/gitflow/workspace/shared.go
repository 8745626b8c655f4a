package workspace

import (
	"context"
	"errors"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// Capture makes a commit of the captain's tree as it is, and returns it with the head of the branch at that time.
func (s *Workspace) Capture(ctx context.Context) (base, commit string, notes []string, err error) {
	w, release, err := s.Take(ctx)
	if err != nil {
		return "", "", nil, err
	}
	defer release()
	return w.capture(ctx)
}

// capture makes a commit of the tree as it is, with the previous copy as its first parent, and points RefShared at
// it. Afterwards the private index matches the tree. For a file that is being written, the commit has the branch's
// version.
func (w *Tree) capture(ctx context.Context) (base, commit string, notes []string, err error) {
	st, away, err := w.look(ctx)
	if err == nil && away != "" {
		err = &sync.Hindered{Why: away}
	}
	if err != nil {
		return "", "", nil, err
	}
	w.Busy = nil
	for _, l := range w.Sift(&st) {
		notes = append(notes, l.Note(w.Limits.File))
	}
	rested, busy, err := w.unsettled(ctx, st.Write)
	if err != nil {
		return "", "", nil, err
	}
	w.Busy = busy
	if st, err = w.stageRested(ctx, rested); err != nil {
		return "", "", nil, err
	}
	files, err := w.Write(ctx)
	if err != nil {
		return "", "", nil, err
	}
	known, err := w.Resolve(ctx, git.RefShared+"^{tree}", git.RefShared)
	if err != nil {
		return "", "", nil, err
	}
	if known[0] == files {
		return st.Commit, known[1], notes, nil
	}
	if commit, err = w.WriteCommit(git.Commit{Tree: files, Parents: staging.Distinct(known[1], st.Commit), Message: "ocaptain: the shared tree as it is"}); err != nil {
		return "", "", nil, err
	}
	return st.Commit, commit, notes, w.UpdateRefs(ctx, "update "+git.RefShared+" "+commit)
}

// Settle moves the branch to a commit whose files the captain's tree has already. It leaves the files alone.
func (w *Tree) Settle(ctx context.Context, from, to string, before, after []string) error {
	return w.Locked(ctx, func() error {
		branch, err := w.Head(ctx)
		if err != nil {
			return err
		}
		away, err := w.handsOff(branch, false)
		if err != nil {
			return err
		}
		if away != "" {
			return w.move(ctx, from, to, before, after)
		}
		if err := w.copyIndex(); err != nil {
			return err
		}
		if err := w.Run(ctx, "read-tree", "--reset", to); err != nil {
			return err
		}
		var differ *git.Error
		if err := w.Run(ctx, "update-index", "-q", "--refresh"); err != nil && (!errors.As(err, &differ) || ctx.Err() != nil) {
			return err
		}
		if err := w.move(ctx, from, to, before, after); err != nil {
			return err
		}
		return w.install()
	})
}
