package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// Beside brings home what a remote tree has beside its files, branches that it does not stand on and stashed work, and
// returns the refs that keep it, and by how many bytes the repository grew. What the hub has already stays where it is.
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
		return nil, grew, fmt.Errorf("branches and stashes of %s: %w", git.PlainText(name), err)
	}
	return refs, grew, nil
}

// keepBeside takes in the commits of a reply.
func (h *Hub) keepBeside(ctx context.Context, name string, have []string, p wire.Reply, in *bufio.Reader) (refs []string, grew int64, err error) {
	ids := p.Beside()
	if grew, err = h.intake.Receive(ctx, in, ids, have, h.remote(name).base); err != nil {
		return nil, grew, err
	}
	var lines []string
	for _, id := range ids {
		id, err := h.cleaned(ctx, id, "")
		if err != nil {
			return nil, grew, err
		}
		kept, err := h.kept(ctx, id)
		if err != nil {
			return nil, grew, err
		}
		if kept {
			continue
		}
		ref := git.ParkedRef(name, id)
		refs, lines = append(refs, ref), append(lines, "update "+ref+" "+id)
	}
	if len(lines) == 0 {
		return nil, grew, nil
	}
	if err := h.hasRoom(ctx, name, len(lines)); err != nil {
		return nil, grew, err
	}
	return refs, grew, h.repo.UpdateRefs(ctx, lines...)
}

// kept tells whether a ref of the hub keeps a commit, with all that is behind it.
func (h *Hub) kept(ctx context.Context, id string) (bool, error) {
	found, err := h.repo.Resolve(ctx, id+"^{commit}")
	if err != nil || found[0] == "" {
		return false, err
	}
	n, err := h.repo.Number(ctx, "rev-list", "--count", id, "--not", "--all")
	var lacking *git.Error
	if errors.As(err, &lacking) {
		return false, nil // some of what is behind it
	}
	return n == 0, err
}
