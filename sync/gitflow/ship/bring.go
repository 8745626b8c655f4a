package ship

import (
	"context"
	"errors"
	"os"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// bring changes the files of the tree from the newest snapshot to a commit. Meanwhile the ref ShipTarget names that
// commit: after a crash, the next request undoes the change before it reads the tree. settle deletes the ref.
func (s *ship) bring(ctx context.Context, t staging.Tree, from, to string) error {
	if err := s.UpdateRefs(ctx, "update "+git.ShipTarget+" "+to); err != nil {
		return err
	}
	touched, err := t.Forth(ctx, from, to)
	if err == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	if touched {
		if undone := s.back(ctx, t, from, to); undone != nil {
			return errors.Join(err, undone)
		}
	}
	return errors.Join(err, s.UpdateRefs(ctx, "delete "+git.ShipTarget))
}

// undo reverts a bring that a crash interrupted, and deletes ShipTarget. Files that were edited since then stay.
func (s *ship) undo(ctx context.Context) error {
	found, err := s.Resolve(ctx, git.ShipTarget+"^{tree}", git.ShipSnapshot+"^{tree}")
	if err != nil || found[0] == "" {
		return err
	}
	if found[1] != "" {
		t, err := staging.PrivateTree(s.Repo, s.q.Limits, s.q.Format)
		if err != nil {
			return err
		}
		release, err := s.LockIndex(ctx)
		if err != nil {
			return err
		}
		defer release()
		if err := s.backFrom(ctx, t, found[1], found[0]); err != nil {
			return err
		}
	}
	return s.UpdateRefs(ctx, "delete "+git.ShipTarget)
}

// back undoes Tree.Forth. It reads the files without the tree's attributes, as a snapshot does.
func (s *ship) back(ctx context.Context, t staging.Tree, from, to string) error {
	found, err := s.Resolve(ctx, git.ShipBase+"^{commit}")
	if err != nil {
		return err
	}
	if t, err = s.bytewise(ctx, t, found[0]); err != nil {
		return err
	}
	return t.Back(ctx, from, to)
}

// backFrom is back that first repairs a missing or broken private index.
func (s *ship) backFrom(ctx context.Context, t staging.Tree, from, to string) error {
	err := s.seed(ctx, t)
	if err == nil {
		err = s.back(ctx, t, from, to)
	}
	var broken *git.Error
	if !errors.As(err, &broken) || ctx.Err() != nil {
		return err
	}
	if err := os.Remove(s.Path(staging.PrivateIndex)); err != nil {
		return err
	}
	if err := s.seed(ctx, t); err != nil {
		return err
	}
	return s.back(ctx, t, from, to)
}
