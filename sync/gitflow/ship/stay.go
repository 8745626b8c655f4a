package ship

import (
	"context"
	"errors"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// stay points HEAD, the tree's branch and the index at the target, and leaves the files alone: Mutagen keeps them the
// same as the hub's. The agent's own commits stay in the reflog.
func (s *ship) stay(ctx context.Context, t staging.Tree) error {
	release, err := s.LockIndex(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := t.Run(ctx, "read-tree", "--reset", s.aim.Target); err != nil {
		return err
	}
	var differ *git.Error
	if err := t.Run(ctx, "update-index", "-q", "--refresh"); err != nil && (!errors.As(err, &differ) || ctx.Err() != nil) {
		return err
	}
	if err := staging.CopyFile(s.Path(staging.PrivateIndex), s.Path("index")); err != nil {
		return err
	}
	if err := s.settle(ctx, s.aim.Target, ""); err != nil {
		return err
	}
	if err := s.around().note(ctx, s.aim.Target); err != nil {
		return err
	}
	return s.answer(ctx, wire.Reply{Base: s.aim.Target}, nil, nil)
}
