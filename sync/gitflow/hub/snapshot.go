package hub

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// Snapshot copies a remote tree to refs/ocaptain/live/<name>.
func (h *Hub) Snapshot(ctx context.Context, r sync.Remote, name string) (sync.Snapshot, error) {
	s, err := branch.Persist(ctx, h.Branch, func() (fetched, error) { return h.fetch(ctx, r, name, false) })
	if err != nil {
		return sync.Snapshot{}, err
	}
	return h.describe(ctx, name, s)
}

// describe converts a fetched snapshot for the caller of Snapshot.
func (h *Hub) describe(ctx context.Context, name string, f fetched) (sync.Snapshot, error) {
	changed, err := h.ahead(ctx, name)
	if err != nil {
		return sync.Snapshot{}, err
	}
	sides, stashed, err := h.unkept(ctx, f.Reply)
	if err != nil {
		return sync.Snapshot{}, err
	}
	head := f.base
	if f.commit != f.base {
		found, err := h.repo.Resolve(ctx, f.commit+"^1")
		if err != nil {
			return sync.Snapshot{}, err
		}
		head = found[0]
	}
	return sync.Snapshot{
		Commit: f.commit, Base: f.base, Head: head, Changed: changed + len(f.Left) + f.More,
		Since: h.remote(name).seen.since, Notes: f.Notes(h.opts.Limits), Sides: sides, Stashed: stashed, Bytes: f.grew,
	}, nil
}

// fetched is a snapshot that the hub received and found sound.
type fetched struct {
	seen
	wire.Reply
	grew int64 // bytes by which the hub's repository grew
}

// fetch has a remote take a snapshot of its tree, and receives it. With whole, the reply also lists new work on other
// branches, in other worktrees and in the stash.
func (h *Hub) fetch(ctx context.Context, r sync.Remote, name string, whole bool) (fetched, error) {
	var f fetched
	if !git.IsRemoteName(name) {
		return f, errName
	}
	q, err := h.request(name)
	if err != nil {
		return f, err
	}
	head, err := h.Head(ctx)
	if err != nil {
		return f, err
	}
	rec := h.remote(name)
	keep, err := h.upkeep.KeepObjects(ctx)
	if err != nil {
		return f, err
	}
	defer keep()
	q.Have, q.Whole = staging.Distinct(rec.live, rec.marked, rec.base, head), whole
	take := func(ctx context.Context, p wire.Reply, in *bufio.Reader) (err error) {
		f.Reply = p
		f.seen, f.grew, err = h.examine(ctx, name, q.Have, p, in)
		return err
	}
	err = h.ask(ctx, r, wire.VerbSnapshot, q, nil, take)
	var failed *git.Error
	if errors.As(err, &failed) {
		// The hub may have lost refs and their objects; then ask again, without the commits that it no longer has.
		if have, knowErr := h.known(ctx, q.Have); knowErr == nil && len(have) < len(q.Have) {
			q.Have, rec.live, rec.seen = have, "", seen{}
			err = h.ask(ctx, r, wire.VerbSnapshot, q, nil, take)
		}
	}
	if err != nil {
		return f, err
	}
	if f.seen.commit != rec.live {
		if err := h.repo.UpdateRefs(ctx, "update "+git.RefLive+name+" "+f.seen.commit); err != nil {
			return f, err
		}
		rec.live = f.seen.commit
	}
	rec.seen = f.seen
	return f, nil
}

// examine receives and judges the snapshot of a reply, and returns by how many bytes the repository grew.
func (h *Hub) examine(ctx context.Context, name string, have []string, p wire.Reply, in *bufio.Reader) (s seen, grew int64, err error) {
	s.commit = p.Commit
	if s.base, err = h.base(ctx, name, p.Base); err != nil {
		return s, 0, err
	}
	if p.Pack {
		grew, err = h.intake.Receive(ctx, in, []string{p.Commit}, have, s.base)
		return s, grew, err
	}
	if !slices.Contains(have, p.Commit) {
		return s, 0, errors.New("its reply names a snapshot that was not sent")
	}
	if old := h.remote(name).seen; old.commit == s.commit && old.base == s.base {
		return old, 0, nil
	}
	return s, 0, h.intake.Judge(ctx, s.base, s.commit)
}

// base returns the commit at which a remote tree was last checked out. It believes the remote's claim only for a
// commit that is on the branch, that was on the branch before the captain amended it, or that the hub last sent as
// target.
func (h *Hub) base(ctx context.Context, name, claimed string) (string, error) {
	rec := h.remote(name)
	if claimed == "" || claimed == rec.base {
		if rec.base == "" {
			return "", errors.New("the tree was never brought to the branch: check it out first")
		}
		return rec.base, nil
	}
	known := claimed == rec.target
	var err error
	if !known {
		known, err = h.wasOnBranch(ctx, claimed)
	}
	switch {
	case err != nil:
		return "", err
	case known:
		return claimed, h.recordBase(ctx, name, claimed)
	case rec.base == "":
		return "", errors.New("the tree names a base that it was not brought to: check it out again")
	}
	return rec.base, nil
}

// wasOnBranch reports whether a commit is on the branch or in the branch's reflog.
func (h *Hub) wasOnBranch(ctx context.Context, commit string) (bool, error) {
	on, err := h.Holds(ctx, h.Ref(), commit)
	if on {
		return true, nil
	}
	if git.Unanswered(ctx, err) {
		return false, err
	}
	was, err := h.repo.Output(ctx, "rev-list", "--walk-reflogs", h.Ref())
	if git.Unanswered(ctx, err) {
		return false, err
	}
	return slices.Contains(strings.Split(was, "\n"), commit), nil
}
