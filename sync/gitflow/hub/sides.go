package hub

import (
	"context"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// lost tells which of a remote's side branches have commits that no ref of the hub keeps, and how much of its stash. A
// branch that was merged by way of the tree is kept with its task. When it has grown since, the older
// commits count, too: what the hub has not got it cannot compare.
func (h *Hub) lost(ctx context.Context, p wire.Reply) (sides []sync.Side, stashed int, err error) {
	for _, s := range p.Sides {
		kept, err := h.kept(ctx, s.Tip)
		if err != nil {
			return nil, 0, err
		}
		if !kept {
			sides = append(sides, sync.Side{Branch: git.PlainText(s.Branch), Commits: max(1, min(s.Commits, wire.MostCommits))})
		}
	}
	stashed = max(0, min(p.Stashed, wire.MostCommits))
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
