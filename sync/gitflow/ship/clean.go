package ship

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// scratchDir is where checks take over scratch directories: a rename within one file system, where it would otherwise be
// a copy of the tree.
const scratchDir = "/tmp"

// scratchPrefix begins the paths of the scratch directories of this tree. Checks remove what begins with "check." and is
// more than an hour old.
func (s *ship) scratchPrefix() string {
	sum := sha256.Sum256([]byte(s.Dir))
	return filepath.Join(scratchDir, "check."+hex.EncodeToString(sum[:8])+"-")
}

// clean checks out a commit in a new scratch directory. It first removes scratch directories that earlier requests
// left.
func (s *ship) clean(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if ok, err := s.take(ctx); err != nil {
		return err
	} else if !ok {
		return s.missing(ctx)
	}
	prefix := s.scratchPrefix()
	old, err := filepath.Glob(prefix + "*")
	if err != nil {
		return err
	}
	for _, dir := range old {
		_ = drop(ctx, s.Repo, dir) // any user of the machine may have made it
	}
	dir, err := os.MkdirTemp(scratchDir, filepath.Base(prefix))
	if err != nil {
		return err
	}
	if err := fresh(ctx, s.Repo, dir, s.aim.Target); err != nil {
		return errors.Join(err, drop(ctx, s.Repo, dir))
	}
	return s.answer(ctx, wire.Reply{Dir: dir}, nil, nil)
}

// fresh checks out commit in a new repository, without settings or hooks that an agent wrote. The objects of the
// commit are copied, and their ids verified, as a checkout does not. Older history is read from the ship's repository.
// Git is started only for a large tree, or files that it converts.
func fresh(ctx context.Context, r git.Repo, dir, commit string) error {
	scratch := r
	scratch.Dir, scratch.GitDir, scratch.Kept = dir, filepath.Join(dir, ".git"), nil
	scratch.Config, scratch.Env = [][2]string{git.Volatile}, nil
	if err := scratch.InitAt(commit); err != nil {
		return err
	}
	tree, err := copyCommit(ctx, r, scratch, commit)
	if err != nil {
		return err
	}
	if !staging.CheckOutFew(ctx, r, scratch, tree) {
		if err := scratch.Run(ctx, "read-tree", "--reset", "-u", commit); err != nil {
			return err
		}
	}
	return os.WriteFile(scratch.Path("objects", "info", "alternates"), []byte(r.Path("objects")+"\n"), 0o600)
}

// copyCommit copies a commit and its whole tree to another repository, and verifies their ids. It returns the tree.
func copyCommit(ctx context.Context, from, to git.Repo, commit string) (tree string, err error) {
	o, content, err := from.Content(ctx, commit, git.MaxOutput)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(content), "\n")
	tree = strings.TrimPrefix(line, "tree ")
	if id, err := to.WriteObject("commit", content, commit); err != nil || o.Kind != "commit" || id != commit || !git.IsObjectID(tree) {
		return "", errors.Join(err, fmt.Errorf("commit %s is not what its name says", commit))
	}
	if few := from.Few(ctx, []string{tree}, nil); few != nil {
		return tree, to.StoreFew(few)
	}
	pack, packed := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := from.SendThin(ctx, packed, []string{tree}, nil)
		packed.CloseWithError(err)
		sent <- err
	}()
	err = to.Stream(ctx, pack, nil, "index-pack", "--stdin")
	pack.Close()
	return tree, errors.Join(<-sent, err)
}

// tidy removes the scratch directory that the request names.
func (s *ship) tidy(ctx context.Context) error {
	if filepath.Dir(s.q.Dir) != scratchDir || !strings.HasPrefix(s.q.Dir, s.scratchPrefix()) {
		return errors.New("not a scratch directory")
	}
	if err := drop(ctx, s.Repo, s.q.Dir); err != nil {
		return err
	}
	return s.answer(ctx, wire.Reply{}, nil, nil)
}

// drop removes a scratch directory, also if a build made parts of it read-only.
func drop(ctx context.Context, r git.Repo, dir string) error {
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
	if _, err := os.Lstat(r.Path("worktrees")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.Run(ctx, "worktree", "prune")
}
