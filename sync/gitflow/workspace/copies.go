package workspace

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// Copied is what CopyShared found.
type Copied struct {
	Files int // number of files in the previous copy
	Gone  int // files of the previous copy that are neither at their paths nor, with the same content, at others
}

// CopyShared makes a copy of the shared tree, from which RestoreShared can restore files, and compares it with the
// previous copy.
func (s *Workspace) CopyShared(ctx context.Context) (Copied, error) {
	c, err := branch.Persist(ctx, s.branch, func() (Copied, error) {
		was, err := s.repo.Resolve(ctx, git.RefShared)
		if err != nil {
			return Copied{}, err
		}
		_, now, _, err := s.Capture(ctx)
		if err != nil || was[0] == "" || was[0] == now {
			return Copied{}, err
		}
		return s.compareCopies(ctx, was[0], now)
	})
	if err != nil {
		err = fmt.Errorf("copy the tree: %w", err)
	}
	return c, err
}

func (s *Workspace) compareCopies(ctx context.Context, was, now string) (c Copied, err error) {
	all, err := s.repo.Changes(ctx, was, now)
	if err != nil {
		return c, err
	}
	came := map[string]bool{}
	for _, is := range all {
		if is.After.Exists() {
			came[is.After.ID] = true
		}
	}
	for _, is := range all {
		if !is.After.Exists() && !came[is.Before.ID] {
			c.Gone++
		}
	}
	if c.Gone == 0 {
		return c, nil
	}
	names, err := s.repo.Bytes(ctx, nil, "ls-tree", "-r", "-z", "--name-only", was)
	c.Files = strings.Count(string(names), "\x00")
	return c, err
}

// TakeOut copies the shared tree, and points RefOpen at one commit with the tree's unmerged work, for people who
// clone the repository.
func (s *Workspace) TakeOut(ctx context.Context) error {
	_, err := branch.Persist(ctx, s.branch, func() (struct{}, error) { return struct{}{}, s.takeOut(ctx) })
	if err != nil {
		err = fmt.Errorf("copy the tree: %w", err)
	}
	return err
}

func (s *Workspace) takeOut(ctx context.Context) error {
	base, commit, _, err := s.Capture(ctx)
	if err != nil {
		return err
	}
	trees, err := s.repo.Resolve(ctx, base+"^{tree}", commit+"^{tree}")
	if err != nil {
		return err
	}
	if trees[0] == trees[1] {
		return s.repo.UpdateRefs(ctx, "delete "+git.RefOpen)
	}
	open, err := s.repo.WriteCommit(git.Commit{Tree: trees[1], Parents: []string{base}, Message: "ocaptain: the shared tree, not committed yet"})
	if err != nil {
		return err
	}
	return s.repo.UpdateRefs(ctx, "update "+git.RefOpen+" "+open)
}

// Copy is a copy of the shared tree.
type Copy struct {
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
}

// Copies returns at most most copies of the shared tree in the clone at dir, newest first.
func Copies(ctx context.Context, dir, branch string, most int) ([]Copy, error) {
	r, err := git.Open(dir)
	if err != nil {
		return nil, err
	}
	if found, err := r.Resolve(ctx, git.RefShared); err != nil || found[0] == "" {
		return nil, err
	}
	out, err := r.Output(ctx, "rev-list", "--first-parent", "--timestamp", "--max-count="+strconv.Itoa(most), git.RefShared, "^refs/heads/"+branch)
	var all []Copy
	for line := range strings.Lines(out) {
		at, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil {
			all = append(all, Copy{commit, time.Unix(sec, 0)})
		}
	}
	return all, err
}

// RestoreShared restores files of the captain's tree from a copy: the named paths and files below them, or all files
// if paths is empty. It first copies the tree as it is. It returns the changed files.
func (s *Workspace) RestoreShared(ctx context.Context, commit string, paths []string) ([]string, error) {
	changed, err := branch.Persist(ctx, s.branch, func() ([]string, error) {
		if err := s.branch.Check(ctx, commit); err != nil {
			return nil, err
		}
		w, release, err := s.Take(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return w.restore(ctx, commit, paths)
	})
	if err != nil {
		err = fmt.Errorf("restore: %w", err)
	}
	return changed, err
}

func (w *Tree) restore(ctx context.Context, commit string, paths []string) ([]string, error) {
	_, now, _, err := w.capture(ctx)
	if err != nil {
		return nil, err
	}
	all, err := w.Changes(ctx, now, commit)
	if err != nil {
		return nil, err
	}
	var chosen []string
	for name := range all {
		if len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") }) {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	slices.Sort(chosen)
	to, err := staging.WithChanges(ctx, w.Repo, now, all, chosen)
	if err != nil {
		return nil, err
	}
	from, err := w.Resolve(ctx, now+"^{tree}")
	if err != nil {
		return nil, err
	}
	_, err = w.Forth(ctx, from[0], to)
	return chosen, err
}
