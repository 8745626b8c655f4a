package ship

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
	"ocaptain/sync/whole"
)

// besideFile lists what around.sides found at the last checkout, one commit a line. Such work does not belong to the
// present task.
const besideFile = "ocaptain/beside"

// worktreeIndex names the index for copyWorktree, in the git directory of the linked worktree.
const worktreeIndex = "ocaptain-index"

// worktrees lists the linked worktrees with work that neither the snapshot nor the base of the tree has: commits or
// uncommitted changes.
func (a around) worktrees(ctx context.Context, sh shot) (all []wire.Side, err error) {
	names, err := os.ReadDir(a.Path("worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, n := range names[:min(len(names), wire.MaxListed)] {
		raw, err := os.ReadFile(a.Path("worktrees", n.Name(), "gitdir"))
		place := strings.TrimSpace(string(raw))
		if err == nil && !filepath.IsAbs(place) {
			place = a.Path("worktrees", n.Name(), place)
		}
		if _, gone := os.Lstat(place); err != nil || gone != nil {
			continue // the worktree was removed; branches lists its branch, if it had one
		}
		w := a.Repo
		w.Dir, w.GitDir, w.Kept = filepath.Dir(place), a.Path("worktrees", n.Name()), nil
		tip, err := a.copyWorktree(ctx, w)
		if err != nil {
			return nil, err
		}
		if tip == "" {
			continue
		}
		own := []string{"rev-list", "--count", tip, "--not", sh.commit}
		if sh.base != "" {
			own = append(own, sh.base)
		}
		commits, err := a.Number(ctx, own...)
		if err != nil {
			return nil, err
		}
		if commits > 0 {
			all = append(all, wire.Side{Branch: wire.Cut(n.Name(), 200) + " (a worktree)", Tip: tip, Commits: commits})
		}
	}
	return all, err
}

// copyWorktree returns a commit of a worktree's files, "" if the worktree has no commit. The commit is HEAD if the
// files are unchanged. For the same changes it is the same commit each time.
func (a around) copyWorktree(ctx context.Context, w git.Repo) (string, error) {
	found, err := w.Resolve(ctx, "HEAD^{commit}", "HEAD^{tree}")
	if err != nil || found[0] == "" {
		return "", err
	}
	w = w.WithIndex(w.Path(worktreeIndex))
	if _, err := os.Lstat(w.Path(worktreeIndex)); errors.Is(err, fs.ErrNotExist) {
		if err := w.Run(ctx, "read-tree", found[0]); err != nil {
			return "", err
		}
	}
	if err := w.Run(ctx, "add", "--all", "--ignore-errors", "--", "."); err != nil && ctx.Err() != nil {
		return "", err // any other error is ignored: git left out files that it cannot read
	}
	tree, err := w.Output(ctx, "write-tree")
	if err != nil || tree == found[1] {
		return found[0], err
	}
	return a.WriteCommit(git.Commit{Tree: tree, Parents: found[:1], Message: "ocaptain: the worktree as it is", Undated: true})
}

// note writes besideFile when a task begins.
func (a around) note(ctx context.Context, base string) error {
	sides, stash, _, err := a.sides(ctx, shot{commit: base})
	if err != nil {
		return err
	}
	ids := wire.Reply{Sides: sides, Stash: stash}.Beside()
	return whole.Write(a.Path(besideFile), []byte(strings.Join(ids, "\n")+"\n"), 0o666)
}

// markFresh marks sides and stash entries that appeared since the task began and that would change the snapshot if
// merged into it. A merge of the task would leave that work behind.
func (a around) markFresh(ctx context.Context, sh shot, p *wire.Reply) error {
	raw, err := os.ReadFile(a.Path(besideFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := strings.Fields(string(raw))
	fresh := func(id string) (bool, error) {
		if slices.Contains(old, id) {
			return false, nil
		}
		tree, err := a.Output(ctx, "merge-tree", "--write-tree", "--no-messages", sh.commit, id)
		var failed *git.Error // the two conflict, or this git has no merge-tree --write-tree: count it as fresh
		if errors.As(err, &failed) && ctx.Err() == nil {
			return true, nil
		}
		return tree != sh.tree, err
	}
	for i := range p.Sides {
		if p.Sides[i].Fresh, err = fresh(p.Sides[i].Tip); err != nil {
			return err
		}
	}
	for _, id := range p.Stash {
		is, err := fresh(id)
		if err != nil {
			return err
		}
		if is {
			p.FreshStash++
		}
	}
	return nil
}
