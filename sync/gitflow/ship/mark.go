package ship

import (
	"context"
	"errors"
	"os"

	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// mark replaces the tree's files by a merge with conflict markers, and points HEAD at the commit of the branch that
// was merged in. If the tree changed since the snapshot that was merged, mark leaves it as it is.
func (s *ship) mark(ctx context.Context) error {
	if !s.ready() {
		return errors.New("there is no repository")
	}
	if err := s.arm(ctx); err != nil {
		return err
	}
	if ok, err := s.take(ctx, s.q.Marked); err != nil {
		return err
	} else if !ok {
		return s.missing(ctx)
	}
	release, err := s.LockIndex(ctx)
	if err != nil {
		return err
	}
	defer release()
	t, err := staging.PrivateTree(s.Repo, s.q.Limits, s.q.Format)
	if err != nil {
		return err
	}
	sh, err := s.capture(ctx, t)
	if err != nil {
		return err
	}
	if sh.commit != s.q.Expect {
		return s.answer(ctx, wire.Reply{Changed: true}, nil, nil)
	}
	prior := sh.commit
	if s.q.Prior != "" {
		prior = s.q.Prior
	}
	if err := s.bring(ctx, t, sh.tree, s.q.Marked); err != nil {
		return err
	}
	if err := s.install(ctx, t); err != nil {
		return err
	}
	if err := s.settle(ctx, s.aim.Target, prior); err != nil {
		return err
	}
	return s.answer(ctx, wire.Reply{Base: s.aim.Target}, nil, nil)
}

// install makes the real index equal to the target, with the file times and sizes of the private index.
func (s *ship) install(ctx context.Context, t staging.Tree) error {
	if err := t.Unstage(); err != nil {
		return err
	}
	next := s.Path(staging.NextIndex)
	if err := staging.CopyFile(s.Path(staging.PrivateIndex), next); err != nil {
		return err
	}
	if err := s.WithIndex(next).Run(ctx, "read-tree", "-m", s.aim.Target); err != nil {
		return err
	}
	return os.Rename(next, s.Path("index"))
}
