package gitflow

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// side is a branch of a remote tree with commits that the tree itself does not stand on, or a linked worktree with work.
type side struct {
	Branch  string
	Tip     string
	Commits int
	Fresh   bool `json:",omitempty"` // it came about since the tree was brought to its commit, and the snapshot lacks something of it
}

// mostCommits bounds what a remote may claim of a branch or of its stash.
const mostCommits = 1_000_000

// sides lists the branches that neither the snapshot nor what the tree was brought to has all commits of,
// those with the newest commits first, linked worktrees with such work, and what is stashed away. Usually that is one question to git.
func (s *ship) sides(ctx context.Context, sh shot) (sides []side, stash []string, stashed int, err error) {
	args := []string{"for-each-ref", "--sort=-committerdate", "--count=" + strconv.Itoa(maxListed), "--format=%(objectname) %(refname:lstrip=2)", "--no-merged=" + sh.commit}
	from := []string{"--not", sh.commit}
	if sh.base != "" {
		args, from = append(args, "--no-merged="+sh.base), append(from, sh.base)
	}
	lines, err := s.Output(ctx, append(args, "refs/heads/")...)
	if err != nil {
		return nil, nil, 0, err
	}
	for line := range strings.SplitSeq(lines, "\n") {
		tip, name, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		n, err := s.Number(ctx, append([]string{"rev-list", "--count", tip}, from...)...)
		if err != nil {
			return nil, nil, 0, err
		}
		sides = append(sides, side{Branch: cut(name, 256), Tip: tip, Commits: n})
	}
	apart, err := s.worktrees(ctx, sh)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, w := range apart {
		if !slices.ContainsFunc(sides, func(b side) bool { return b.Tip == w.Tip }) {
			sides = append(sides, w)
		}
	}
	if found, err := s.Resolve(ctx, "refs/stash^{commit}"); err != nil || found[0] == "" {
		return sides, nil, 0, err
	}
	lines, err = s.Output(ctx, "rev-list", "--walk-reflogs", "refs/stash")
	for id := range strings.SplitSeq(lines, "\n") {
		if stashed++; git.IsObjectID(id) && len(stash) < maxListed {
			stash = append(stash, id)
		}
	}
	return sides, stash, stashed, err
}

// lost tells which of a remote's side branches have commits that no ref of the hub keeps, and how much of its stash. A
// branch that was merged by way of the tree is kept with its task. When it has grown since, the older
// commits count, too: what the hub has not got it cannot compare.
func (h *Hub) lost(ctx context.Context, p reply) (sides []sync.Side, stashed int, err error) {
	for _, s := range p.Sides {
		kept, err := h.kept(ctx, s.Tip)
		if err != nil {
			return nil, 0, err
		}
		if !kept {
			sides = append(sides, sync.Side{Branch: git.PlainText(s.Branch), Commits: max(1, min(s.Commits, mostCommits))})
		}
	}
	stashed = max(0, min(p.Stashed, mostCommits))
	for _, id := range p.Stash {
		kept, err := h.kept(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		if kept {
			stashed--
		}
	}
	return sides, max(0, stashed), ctx.Err()
}
