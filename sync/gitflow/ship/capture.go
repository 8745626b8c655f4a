package ship

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// shot is a snapshot of the tree.
type shot struct {
	commit string
	tree   string
	head   string // commit of HEAD, "" when it has none
	branch string // full ref of HEAD, "" when detached
	base   string // commit of the last checkout, "" for none
	left   []staging.Left
}

// capture makes a commit of the tree's files on top of HEAD. If nothing changed since the last time, it returns the
// same commit.
func (s *ship) capture(ctx context.Context, t staging.Tree) (shot, error) {
	sh, err := s.captureOnce(ctx, t)
	var broken *git.Error
	if !errors.As(err, &broken) || ctx.Err() != nil {
		return sh, err
	}
	// The private index and rawDir are only caches: rebuild them and try once more.
	if e := errors.Join(t.UnlockIndex(), os.RemoveAll(s.Path(staging.PrivateIndex)), os.RemoveAll(s.Path(rawDir))); e != nil {
		return sh, errors.Join(err, e)
	}
	sh, again := s.captureOnce(ctx, t)
	if again != nil && again.Error() != err.Error() {
		again = fmt.Errorf("%w (at first: %w)", again, err)
	}
	return sh, again
}

func (s *ship) captureOnce(ctx context.Context, t staging.Tree) (shot, error) {
	if err := s.seed(ctx, t); err != nil {
		return shot{}, err
	}
	found, err := s.Resolve(ctx, git.ShipBase+"^{commit}", git.ShipPrior+"^{commit}",
		git.ShipSnapshot+"^{commit}", git.ShipSnapshot+"^{tree}", git.ShipSnapshot+"^1", git.ShipSnapshot+"^2", staging.OrNothing(s.q.Home)+"^{commit}")
	if err != nil {
		return shot{}, err
	}
	if t, err = s.bytewise(ctx, t, found[0]); err != nil {
		return shot{}, err
	}
	if home := found[6]; found[0] != "" && (home != "" || s.q.Home == "") {
		t.Counted = []string{found[0], home}
	}
	st, lefts, err := t.Stage(ctx)
	if err != nil {
		return shot{}, err
	}
	sh := shot{head: st.Commit, branch: st.Branch, left: lefts}
	if sh.tree, err = t.Write(ctx); err != nil {
		return shot{}, err
	}
	var parents []string
	if sh.head != "" {
		parents = append(parents, sh.head)
	}
	if prior := found[1]; prior != "" && prior != sh.head {
		parents = append(parents, prior)
	}
	sh.base, sh.commit = found[0], found[2]
	if sh.commit != "" && found[3] == sh.tree && same(parents, found[4], found[5]) {
		return sh, nil
	}
	if sh.commit, err = s.WriteCommit(git.Commit{Tree: sh.tree, Parents: parents, Message: "ocaptain: the tree as it is"}); err != nil {
		return shot{}, err
	}
	return sh, s.UpdateRefs(ctx, "update "+git.ShipSnapshot+" "+sh.commit)
}

// seed creates a missing private index from the commit of the last checkout, else from HEAD, else empty.
func (s *ship) seed(ctx context.Context, t staging.Tree) error {
	if _, err := os.Lstat(s.Path(staging.PrivateIndex)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	found, err := s.Resolve(ctx, git.ShipBase+"^{tree}", "HEAD^{tree}")
	if err != nil {
		return err
	}
	for _, start := range append(found, "--empty") {
		if start == "" {
			continue
		}
		if err := t.Run(ctx, "read-tree", start); err != nil || start == "--empty" {
			return err
		}
		// Refresh, so that Stage skips unchanged files. If git cannot examine all files, Stage reads the others.
		var differ *git.Error
		if err := t.Run(ctx, "update-index", "-q", "--refresh"); err != nil && (!errors.As(err, &differ) || ctx.Err() != nil) {
			return err
		}
		return t.UnlockIndex()
	}
	return nil
}

// same reports whether first and second ("" for none) are exactly the wanted parents.
func same(want []string, first, second string) bool {
	switch len(want) {
	case 0:
		return first == ""
	case 1:
		return first == want[0] && second == ""
	}
	return first == want[0] && second == want[1]
}

// snapshot makes a snapshot of the tree and sends it to the hub.
func (s *ship) snapshot(ctx context.Context) error {
	if !s.ready() {
		return errors.New("there is no git repository in its tree")
	}
	if err := s.arm(ctx); err != nil {
		return err
	}
	t, err := staging.PrivateTree(s.Repo, s.q.Limits, s.q.Format)
	if err != nil {
		return err
	}
	sh, err := s.capture(ctx, t)
	if err != nil {
		return err
	}
	p := wire.Reply{Commit: sh.commit, Base: sh.base, Left: sh.left}
	if p.Sides, p.Stash, p.Stashed, err = s.around().sides(ctx, sh); err != nil {
		return err
	}
	if s.q.Whole {
		if err := s.around().markFresh(ctx, sh, &p); err != nil {
			return err
		}
	}
	have, err := present(ctx, s.Repo, s.q.Have...)
	if err != nil {
		return err
	}
	for _, id := range have {
		if id == sh.commit {
			return s.answer(ctx, p, nil, nil)
		}
	}
	return s.answer(ctx, p, []string{sh.commit}, have)
}
