package gitflow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scratchPrefix begins the names of scratch checkouts, which lie beside the tree.
const scratchPrefix = ".clean-"

// clean makes a clean checkout of a commit in a scratch directory: a linked worktree, so that git works there.
// What an earlier one left behind goes first.
func (s *ship) clean(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if ok, err := s.take(ctx, s.q.Target); err != nil {
		return err
	} else if !ok {
		return s.missing(ctx)
	}
	old, err := filepath.Glob(filepath.Join(filepath.Dir(s.dir), scratchPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range old {
		if err := s.drop(ctx, dir); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(s.dir), scratchPrefix)
	if err != nil {
		return err
	}
	if err := s.quiet(ctx, "worktree", "add", "-q", "--detach", "--no-checkout", dir, s.q.Target); err != nil {
		return err
	}
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return err
	}
	scratch := s.repo
	scratch.dir, scratch.git = dir, strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
	if err := scratch.quiet(ctx, "read-tree", "--reset", "-u", s.q.Target); err != nil {
		return errors.Join(err, s.drop(ctx, dir))
	}
	return s.answer(ctx, reply{Dir: dir}, nil, nil)
}

// tidy removes a scratch directory.
func (s *ship) tidy(ctx context.Context) error {
	if filepath.Dir(s.q.Dir) != filepath.Dir(s.dir) || !strings.HasPrefix(filepath.Base(s.q.Dir), scratchPrefix) {
		return errors.New("not a scratch directory")
	}
	if err := s.drop(ctx, s.q.Dir); err != nil {
		return err
	}
	return s.answer(ctx, reply{}, nil, nil)
}

// drop removes a scratch directory, even where a build made parts of it read-only.
func (s *ship) drop(ctx context.Context, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o700)
			}
			return nil
		})
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return s.quiet(ctx, "worktree", "prune")
}
