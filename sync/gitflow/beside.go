package gitflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
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
	q.Have = distinct(rec.live, rec.base)
	err = h.talk(ctx, r, verbBeside, q, nil, func(ctx context.Context, p reply, in *bufio.Reader) error {
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
func (h *Hub) keepBeside(ctx context.Context, name string, have []string, p reply, in *bufio.Reader) (refs []string, grew int64, err error) {
	ids := p.beside()
	sound := func(r git.Repo) error {
		for _, id := range ids {
			if err := judge(ctx, r, h.remote(name).base, id, h.opts.Limits); err != nil {
				return err
			}
		}
		return nil
	}
	if grew, err = h.receive(ctx, in, ids, have, sound); err != nil {
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

// beside lists the commits that a reply names beside the tree.
func (p reply) beside() []string {
	ids := slices.Clone(p.Stash)
	for _, s := range p.Sides {
		ids = append(ids, s.Tip)
	}
	return distinct(ids...)
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

// beside sends what the tree has beside its files.
func (s *ship) beside(ctx context.Context) error {
	if !s.ready() {
		return s.answer(ctx, reply{}, nil, nil)
	}
	if err := s.arm(ctx); err != nil {
		return err
	}
	found, err := s.Resolve(ctx, git.ShipSnapshot+"^{commit}", git.ShipBase+"^{commit}")
	if err != nil || found[0] == "" {
		return errors.Join(err, errors.New("the tree was never copied: make a snapshot first"))
	}
	var p reply
	if p.Sides, p.Stash, p.Stashed, err = s.sides(ctx, shot{commit: found[0], base: found[1]}); err != nil {
		return err
	}
	have, err := s.present(ctx, s.q.Have...)
	if err != nil {
		return err
	}
	return s.answer(ctx, p, p.beside(), have)
}
