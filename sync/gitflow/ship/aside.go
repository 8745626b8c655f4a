package ship

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// beside sends the hub the commits of other branches, linked worktrees and the stash that it lacks.
func (s *ship) beside(ctx context.Context) error {
	if !s.ready() {
		return s.answer(ctx, wire.Reply{}, nil, nil)
	}
	if err := s.arm(ctx); err != nil {
		return err
	}
	found, err := s.Resolve(ctx, git.ShipSnapshot+"^{commit}", git.ShipBase+"^{commit}")
	if err != nil || found[0] == "" {
		return errors.Join(err, errors.New("the tree was never copied: make a snapshot first"))
	}
	var p wire.Reply
	if p.Sides, p.Stash, p.Stashed, err = s.around().sides(ctx, shot{commit: found[0], base: found[1]}); err != nil {
		return err
	}
	have, err := present(ctx, s.Repo, s.q.Have...)
	if err != nil {
		return err
	}
	return s.answer(ctx, p, p.Beside(), have)
}

// around is the repository of a tree, for work outside the tree's own files: on other branches, in linked worktrees
// and in the stash.
type around struct {
	git.Repo
	branch string // the tree's own branch
}

func (s *ship) around() around { return around{s.Repo, s.q.Branch} }

// sides lists the branches with commits that neither the snapshot nor the base of the tree reaches, newest first,
// then the linked worktrees with such work, and the stash. stashed counts all stash entries.
func (a around) sides(ctx context.Context, sh shot) (sides []wire.Side, stash []string, stashed int, err error) {
	sides, err = a.branches(ctx, sh)
	if err != nil {
		return nil, nil, 0, err
	}
	apart, err := a.worktrees(ctx, sh)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, w := range apart {
		if !slices.ContainsFunc(sides, func(b wire.Side) bool { return b.Tip == w.Tip }) {
			sides = append(sides, w)
		}
	}
	if found, err := a.Resolve(ctx, "refs/stash^{commit}"); err != nil || found[0] == "" {
		return sides, nil, 0, err
	}
	lines, err := a.Output(ctx, "rev-list", "--walk-reflogs", "refs/stash")
	for id := range strings.SplitSeq(lines, "\n") {
		if stashed++; git.IsObjectID(id) && len(stash) < wire.MaxListed {
			stash = append(stash, id)
		}
	}
	return sides, stash, stashed, err
}

// branches is the part of sides about branches. Usually the tree's own branch is the only one.
func (a around) branches(ctx context.Context, sh shot) (sides []wire.Side, err error) {
	if own := "refs/heads/" + a.branch; a.HasNoOther("refs/heads/", own) {
		tip, err := a.Resolve(ctx, own)
		if err != nil || slices.Contains([]string{sh.commit, sh.head, sh.base}, tip[0]) {
			return nil, err
		}
	}
	args := []string{"for-each-ref", "--sort=-committerdate", "--count=" + strconv.Itoa(wire.MaxListed), "--format=%(objectname) %(refname:lstrip=2)", "--no-merged=" + sh.commit}
	from := []string{"--not", sh.commit}
	if sh.base != "" {
		args, from = append(args, "--no-merged="+sh.base), append(from, sh.base)
	}
	lines, err := a.Output(ctx, append(args, "refs/heads/")...)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(lines, "\n") {
		tip, name, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		n, err := a.Number(ctx, append([]string{"rev-list", "--count", tip}, from...)...)
		if err != nil {
			return nil, err
		}
		sides = append(sides, wire.Side{Branch: wire.Cut(name, 256), Tip: tip, Commits: n})
	}
	return sides, nil
}
