package hub

import (
	"bufio"
	"context"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// Beside fetches the branches that a remote tree does not have checked out, and its stash. It returns the refs that
// now keep these commits, and by how many bytes the hub's repository grew. Commits that a ref of the hub already
// keeps get no new ref.
func (h *Hub) Beside(ctx context.Context, r sync.Remote, name string) (refs []string, grew int64, err error) {
	rec := h.remote(name)
	if !git.IsRemoteName(name) || rec.base == "" {
		return nil, 0, nil
	}
	q, err := h.request(name)
	if err != nil {
		return nil, 0, err
	}
	q.Have = staging.Distinct(rec.live, rec.base)
	err = h.ask(ctx, r, wire.VerbBeside, q, nil, func(ctx context.Context, p wire.Reply, in *bufio.Reader) error {
		if !p.Pack {
			return nil
		}
		refs, grew, err = h.keepBeside(ctx, name, q.Have, p, in)
		return err
	})
	if err != nil {
		return nil, grew, err
	}
	return refs, grew, nil
}

// keepBeside receives the commits of a reply and puts each commit that no ref keeps on a ref.
func (h *Hub) keepBeside(ctx context.Context, name string, have []string, p wire.Reply, in *bufio.Reader) (refs []string, grew int64, err error) {
	ids := p.Beside()
	if grew, err = h.intake.Receive(ctx, in, ids, have, h.remote(name).base); err != nil {
		return nil, grew, err
	}
	var lacking []string
	for _, id := range ids {
		id, err := h.parked.Cleaned(ctx, id, "")
		if err != nil {
			return nil, grew, err
		}
		kept, err := h.parked.IsKept(ctx, id)
		if err != nil {
			return nil, grew, err
		}
		if !kept {
			lacking = append(lacking, id)
		}
	}
	if len(lacking) == 0 {
		return nil, grew, nil
	}
	if err := h.parked.Room(ctx, name, len(lacking)); err != nil {
		return nil, grew, err
	}
	refs, err = h.parked.Keep(ctx, name, lacking)
	return refs, grew, err
}

// unkept returns the remote's side branches with commits that no ref of the hub keeps, and the number of such stash
// entries. The ref of a task keeps a branch that was merged into the tree. If that branch has grown since, its older
// commits count too: the hub does not have the new tip, so it cannot compare.
func (h *Hub) unkept(ctx context.Context, p wire.Reply) (sides []sync.Side, stashed int, err error) {
	for _, s := range p.Sides {
		kept, err := h.parked.IsKept(ctx, s.Tip)
		if err != nil {
			return nil, 0, err
		}
		if !kept {
			sides = append(sides, sync.Side{Branch: git.PlainText(s.Branch), Commits: max(1, min(s.Commits, wire.MostCommits))})
		}
	}
	stashed = max(0, min(p.Stashed, wire.MostCommits))
	for _, id := range p.Stash {
		kept, err := h.parked.IsKept(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		if kept {
			stashed--
		}
	}
	return sides, max(0, stashed), ctx.Err()
}
